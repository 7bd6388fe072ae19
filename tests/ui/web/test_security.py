"""Access control: names, origins, tokens, headers, paths, rates."""

from __future__ import annotations

import pytest
from starlette.websockets import WebSocketDisconnect

from engine.ui.web.engine_pool import ResourceLimits
from engine.ui.web.security import HEADERS, ClientRateLimiter, RateLimiter, ServerAddress, is_loopback
from tests.ui.visitor import ADDRESS, ORIGIN, PORT, SOCKET, Visitor, client

TOKEN = "s3cret-token"  # noqa: S105  of this test alone
EVERYWHERE = "0.0.0.0"  # noqa: S104  nothing listens there
PUBLIC_ADDRESS = ServerAddress(EVERYWHERE, PORT, TOKEN)


@pytest.fixture(scope="module")
def browser():
    with client() as made:
        yield made


@pytest.fixture(scope="module")
def stranger():
    with client(address=PUBLIC_ADDRESS) as made:
        yield made


@pytest.mark.parametrize("path", ["/", "/page/main.js", "/pieces/wK.svg", "/health", "/nothing"])
def test_every_answer_is_strict(browser, path):
    answer = browser.get(path)
    for name, value in HEADERS.items():
        if path.startswith("/pieces") and name == "Content-Security-Policy":
            assert "script" not in answer.headers[name] and "default-src 'none'" in answer.headers[name]
        else:
            assert answer.headers[name] == value
    assert "server" not in answer.headers


def test_the_page_loads_nothing_from_elsewhere(browser):
    policy = browser.get("/").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", f"127.0.0.1.evil.example:{PORT}",
                                  "127.0.0.1:1", "127.0.0.1", "localhost", "", f"@127.0.0.1:{PORT}",
                                  f"192.168.1.5:{PORT}", f"127.0.0.1:{PORT}:{PORT}", "127.0.0.1:99999999999999999999"])
def test_other_names_lead_nowhere(browser, host):
    assert browser.get("/", headers={"host": host}).status_code == 421
    with pytest.raises(WebSocketDisconnect), browser.websocket_connect(SOCKET, headers={**ORIGIN, "host": host}):
        pass


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST", "127.0.0.2", "[::ffff:7f00:1]"])
def test_own_names_are_known(browser, name):
    assert browser.get("/health", headers={"host": f"{name}:{PORT}"}).text == "ok"


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", f"https://127.0.0.1:{PORT}", "http://127.0.0.1",
                                    f"http://localhost:{PORT}", f"{ADDRESS}.evil.example", f"{ADDRESS}/"])
def test_other_pages_cannot_talk_to_the_server(browser, origin):
    headers = {} if origin is None else {"origin": origin}
    with pytest.raises(WebSocketDisconnect), browser.websocket_connect(SOCKET, headers=headers):
        pass
    if origin is not None:
        assert browser.get("/", headers=headers).status_code == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_nothing_can_be_sent_but_questions(browser, method):
    assert browser.request(method, "/").status_code == 405


@pytest.mark.parametrize("path", [
    "/page/../game.py", "/page/..%2fgame.py", "/page/%2e%2e/game.py", "/page/..\\game.py", "/page//etc/passwd",
    "/page/%2fetc%2fpasswd", "/page/main.js%00.css", "/page/", "/page", "/pieces/wK.svg/",
    "/../../etc/passwd", "/etc/passwd", "/page/__init__.py", "/page/.", "/page/file:%2f%2f%2fetc%2fpasswd", "/session"])
def test_no_path_of_the_machine_can_be_read(browser, path):
    answer = browser.get(path)
    assert answer.status_code in (307, 404)
    assert "root:" not in answer.text and "import" not in answer.text


def test_the_men_are_pictures(browser):
    for name in ("wP", "wN", "wB", "wR", "wQ", "wK", "bP", "bN", "bB", "bR", "bQ", "bK"):
        answer = browser.get(f"/pieces/{name}.svg")
        assert answer.status_code == 200 and answer.headers["content-type"] == "image/svg+xml"
    assert browser.get("/pieces/xX.svg").status_code == 404


def test_what_has_not_changed_is_not_sent_again(browser):
    tag = browser.get("/").headers["etag"]
    assert browser.get("/", headers={"if-none-match": tag}).status_code == 304


def test_a_token_is_needed_where_others_can_come(stranger):
    for path in ("/", "/?token=wrong", "/?token=", f"/?token={TOKEN[:-1]}", "/page/main.js", "/pieces/wK.svg",
                 "/health", "/?token=" + "x" * 60_000):
        assert stranger.get(path).status_code == 403
    with pytest.raises(WebSocketDisconnect), stranger.websocket_connect(SOCKET, headers=ORIGIN):
        pass


def test_the_token_becomes_a_cookie_and_leaves_the_address():
    with client(address=PUBLIC_ADDRESS) as made:
        answer = made.get(f"/?token={TOKEN}")
        assert answer.status_code == 303 and answer.headers["location"] == "/"
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie and "samesite=lax" in cookie
        assert made.get("/").status_code == 200
        with made.websocket_connect(SOCKET, headers=ORIGIN) as socket:
            assert Visitor(socket).request("hello", "welcome")


def test_the_token_opens_the_conversation_too(stranger):
    with stranger.websocket_connect(f"{SOCKET}?token={TOKEN}", headers=ORIGIN) as socket:
        assert Visitor(socket).request("hello", "welcome")


def test_a_foreign_name_does_not_help_even_with_the_token(stranger):
    assert stranger.get(f"/?token={TOKEN}", headers={"host": f"evil.example:{PORT}"}).status_code == 421
    assert stranger.get(f"/?token={TOKEN}", headers={"host": f"192.168.1.5:{PORT}"}).status_code == 303


def test_only_the_loopback_interface_needs_no_token():
    assert all(map(is_loopback, ("127.0.0.1", "::1", "127.1.2.3", "::ffff:127.0.0.1")))
    assert not any(map(is_loopback, (EVERYWHERE, "::", "192.168.1.5", "::ffff:192.168.1.5", "example.org", "")))


def test_too_many_requests_are_refused_and_forgiven():
    with client(rate=5.0, burst=5.0) as made:
        codes = [made.get("/health").status_code for _ in range(30)]
        assert codes[0] == 200 and codes[-1] == 429


def test_a_pace_allows_a_burst_and_then_its_rate():
    now = [0.0]
    limiter = RateLimiter(10, 3, lambda: now[0])
    assert [limiter.wait() for _ in range(5)] == pytest.approx([0, 0, 0, 0.1, 0.2])
    now[0] = 1.0
    assert limiter.wait() == 0


def test_clients_have_allowances_of_their_own_and_are_forgotten():
    now = [0.0]
    rate_limiter = ClientRateLimiter(1, 2, lambda: now[0])
    assert [rate_limiter.allows("a") for _ in range(3)] == [True, True, False]
    assert rate_limiter.allows("b")
    for number in range(1000):
        now[0] += 1
        rate_limiter.allows(str(number))
    assert len(rate_limiter._limiters) < 200


@pytest.mark.parametrize(("headers", "status"), [
    ({"X-Long": "y" * 100_000}, 431), ({f"X-{number}": "y" * 2000 for number in range(20)}, 431),
    ({"Content-Length": "5", "Transfer-Encoding": "chunked"}, 400), ({"X-Short": "y" * 1000}, 200)])
def test_long_headers_and_two_lengths_are_refused(headers, status):
    with client() as made:
        assert made.get("/health", headers=headers).status_code == status


def test_more_visitors_than_boards_are_sent_away():
    with client(ResourceLimits(sessions=3, hash=4, threads=1)) as made:
        with made.websocket_connect(SOCKET, headers=ORIGIN) as one, made.websocket_connect(SOCKET, headers=ORIGIN):
            assert Visitor(one).request("hello", "welcome")
            with made.websocket_connect(SOCKET, headers=ORIGIN) as third:
                assert "2 boards already" in third.receive_json()["text"]
                with pytest.raises(WebSocketDisconnect):
                    third.receive_json()
        with made.websocket_connect(SOCKET, headers=ORIGIN) as again:
            assert Visitor(again).request("hello", "welcome")
