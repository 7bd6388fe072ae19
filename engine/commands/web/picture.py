"""`web --picture FILE.png`: a screenshot of the page with a famous game, annotated and analysed."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.cli.interruption import check_interruption
from engine.system.errors import InputError
from engine.system.extras import missing_extra
from engine.system.files import write_file

SIZE = 1280, 880
_SCALE = 1.5  # pixels of the picture per pixel of the page
_TIMEOUT = 300.0  # seconds: annotating takes a minute where other work has the cores
_SETTLE_SECONDS = 1.5  # until all animations have ended
_DEPTH = 18  # plies of the analysis that is shown
_BROWSERS, _DRIVER = ("chromium", "chromium-browser", "google-chrome"), "chromedriver"
_FLAGS = ("--headless=new", "--disable-gpu", "--no-first-run", "--disable-sync", "--disable-background-networking",
          "--disable-component-update", "--disable-quic", "--hide-scrollbars")
_GAME = """[Event "Paris"]
[White "Paul Morphy"]
[Black "Duke Karl / Count Isouard"]
[Date "1858.??.??"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5
11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0
"""
_SHOWN_PLIES = 18  # Black has just played b5
_DROP = """
const data = new DataTransfer();
data.items.add(new File([arguments[0]], "game.pgn", {type: "text/plain"}));
for (const type of ["dragover", "drop"]) {
  document.body.dispatchEvent(new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}));
}"""
_VISIBLE = "return [...document.querySelectorAll(arguments[0])].find((element) => element.checkVisibility()) ?? null"


def take_picture(address: str, path: Path) -> None:
    """Open the page, drop a game on it, have it annotated and analysed, and save a screenshot."""
    with _browser() as driver:
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": SIZE[0], "height": SIZE[1], "deviceScaleFactor": _SCALE, "mobile": False})
        driver.get(address)
        _find(driver, "nav [data-view=analyse]").click()
        _find(driver, "#lines .score")
        driver.execute_script(_DROP, _GAME)
        _wait(lambda: len(driver.find_elements("css selector", "#analyse-moves button")) > _SHOWN_PLIES, "the game")
        _find(driver, "#analyse-annotate").click()
        _find(driver, "#annotate-dialog .primary").click()
        _find(driver, "#graph svg")
        driver.find_elements("css selector", "#analyse-moves ol > li > button")[_SHOWN_PLIES - 1].click()
        _wait(lambda: _depth(driver) >= _DEPTH, "the analysis")
        _wait(lambda: driver.execute_script("return document.querySelector('#toast').hidden"), "the board alone")
        time.sleep(_SETTLE_SECONDS)
        write_file(path, driver.get_screenshot_as_png())


@contextmanager
def _browser() -> Iterator[Any]:
    """A headless browser."""
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError as error:
        raise missing_extra("the picture", "lab", "selenium") from error
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    driver_path = shutil.which(_DRIVER)
    if browser is None or driver_path is None:
        raise InputError(f"the picture needs a browser, one of {', '.join(_BROWSERS)}, and {_DRIVER}")
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        for flag in (*_FLAGS, f"--user-data-dir={profile}", *(["--no-sandbox"] if is_root else [])):
            options.add_argument(flag)
        driver = webdriver.Chrome(options=options, service=Service(driver_path))
        try:
            yield driver
        finally:
            driver.quit()


def _find(driver: Any, selector: str) -> Any:
    return _wait(lambda: driver.execute_script(_VISIBLE, selector), selector)


def _wait(find: Callable[[], Any], description: str) -> Any:
    deadline = time.monotonic() + _TIMEOUT
    while not (element := find()):
        check_interruption()
        if time.monotonic() > deadline:
            raise InputError(f"the page does not show {description}")
        time.sleep(0.05)
    return element


def _depth(driver: Any) -> int:
    words = driver.execute_script("return document.querySelector('#engine-effort').textContent").split()
    return next((int(word.strip(",")) for word in words if word.strip(",").isdecimal()), 0)
