"""A server of the page and a real browser that looks at it, driven as a person would."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys as Keys
from selenium.webdriver.support.select import Select

from engine.kernel import SOURCE_ROOT
from tests.chromium import CHROMIUM, DRIVER
from tests.timing import PATIENCE

_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
          "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage")
_ARROWS = {(1, 0): Keys.ARROW_RIGHT, (-1, 0): Keys.ARROW_LEFT, (0, 1): Keys.ARROW_UP, (0, -1): Keys.ARROW_DOWN}


class Server:
    """`adversary web` in a process of its own."""

    def __init__(self, port: int = 0, data: Path | None = None, options: Sequence[str] = ()) -> None:
        """`data` is where the user's data is; nowhere near the real user's."""
        self._data = tempfile.TemporaryDirectory()
        self.data = data or Path(self._data.name)
        environment = {**os.environ, "PYTHONPATH": str(SOURCE_ROOT), "XDG_DATA_HOME": str(self.data)}
        command = [sys.executable, "-m", "engine", "web", "--port", str(port), *options]
        self.process = subprocess.Popen(command, cwd=SOURCE_ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://[\w.-]+:(\d+)/\S*", line)
        assert found, f"the server did not say where it is: {line!r}"
        self.address, self.port = found[0], int(found[1])

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._data.cleanup()


class Page:
    """The page in a browser. What is looked for is waited for."""

    def __init__(self, profile: Path) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))

    def visit(self, address: str, size: tuple[int, int]) -> None:
        """Comes to the page for the first time, on a screen of that size."""
        width, height = size
        old = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")  # a tab of its own remembers nothing
        fresh = self.driver.current_window_handle
        self.driver.switch_to.window(old)
        self.driver.close()
        self.driver.switch_to.window(fresh)
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {
            "origin": "/".join(address.split("/")[:3]), "storageTypes": "local_storage,indexeddb"})
        self.driver.get(address)
        self.wait(lambda: self.script("return document.documentElement.dataset.theme"), "the page to start")

    def close(self) -> None:
        self.driver.quit()

    def complaints(self) -> list[str]:
        """What the browser's console holds against the page since it was last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in {"SEVERE", "WARNING"}]

    def script(self, text: str, *arguments: Any) -> Any:
        return self.driver.execute_script(text, *arguments)

    def wait(self, ready: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
        deadline = time.monotonic() + patience
        while not (found := ready()):
            assert time.monotonic() < deadline, f"waited in vain for {what}"
            time.sleep(0.03)
        return found

    def downloaded(self, selector: str) -> str:
        """The text of the file that a button saves."""
        self.script("""
            URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return "#"; };
            const stay = (event) => { if (event.target.download) event.preventDefault(); };
            document.addEventListener("click", stay, true);""")
        self.click(selector)
        return str(self.wait(lambda: self.script("return window.saved ?? ''"), "a file"))

    def find(self, selector: str) -> Any:
        """The first visible element of a selector."""
        visible = "return [...document.querySelectorAll(arguments[0])].find((found) => found.checkVisibility()) ?? null"
        return self.wait(lambda: self.script(visible, selector), selector)

    def text(self, selector: str) -> str:
        return str(self.script("return document.querySelector(arguments[0])?.textContent ?? ''", selector))

    def click(self, selector: str) -> None:
        self.wait(lambda: self._done(lambda: self._click_if_enabled(selector)), f"{selector} to be clicked")

    def _click_if_enabled(self, selector: str) -> bool:
        element = self.find(selector)
        if not element.is_enabled():
            return False
        element.click()
        return True

    def _perform(self, actions: Callable[[], ActionChains]) -> None:
        """Performs actions on elements that are found anew if they were drawn anew in between."""
        self.wait(lambda: self._done(lambda: actions().perform() is None), "the actions to be performed")

    def _done(self, act: Callable[[], bool]) -> bool:
        """Acts; False, and nothing has happened, if an element is no longer the one that was found."""
        try:
            return act()
        except StaleElementReferenceException:
            return False

    def choose(self, selector: str, value: str) -> None:
        """Chooses an option of a list."""
        Select(self.find(selector)).select_by_value(value)

    def go(self, view: str) -> None:
        self.click(f"nav [data-view={view}]")
        self.find(f"#view-{view}")

    def square(self, name: str) -> Any:
        return self.find(f".view:not([hidden]) [data-square={name}]")

    def click_square(self, name: str) -> None:
        self._perform(lambda: ActionChains(self.driver).move_to_element(self.square(name)).click())

    def move_by_clicks(self, start: str, target: str) -> None:
        self.wait(lambda: "movable" in self.square(start).get_attribute("class"), f"{start} to be movable")
        self.click_square(start)
        self.click_square(target)

    def drag(self, start: str, target: str) -> None:
        self.wait(lambda: "movable" in self.square(start).get_attribute("class"), f"{start} to be movable")
        self._perform(lambda: ActionChains(self.driver).drag_and_drop(self.square(start), self.square(target)))

    def drag_element(self, start: Any, target: Any) -> None:
        """Drags what is at one element to another one."""
        ActionChains(self.driver).click_and_hold(start).move_by_offset(8, 8).move_to_element(target).release().perform()

    def press(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    def focused(self) -> str | None:
        """The square that has the focus."""
        return self.script("return document.activeElement.dataset.square ?? null")

    def walk(self, target: str) -> None:
        """Brings the focus to a square with the Tab key and the arrow keys alone; White is below."""
        for _ in range(40):
            if self.focused():
                break
            self.press(Keys.TAB)
        for _ in range(16):
            here = self.focused()
            assert here is not None
            right, up = ord(target[0]) - ord(here[0]), int(target[1]) - int(here[1])
            if not right and not up:
                return
            self.press(_ARROWS[(right > 0) - (right < 0), 0] if right else _ARROWS[0, (up > 0) - (up < 0)])
        raise AssertionError(f"the focus did not reach {target}")

    def move_by_keys(self, start: str, target: str) -> None:
        self.wait(lambda: "movable" in self.square(start).get_attribute("class"), f"{start} to be movable")
        for square in (start, target):
            self.walk(square)
            self.press(Keys.ENTER)

    def new_game(self, fen: str | None = None, level: int = 0, side: str = "white") -> None:
        """Starts a game by the form; the level counts from the weakest."""
        self.wait(lambda: self.text("#version"), "the connection")
        self.script("const slider = document.getElementById('new-level'); slider.value = arguments[0];"
                    "slider.dispatchEvent(new Event('input', {bubbles: true}))", level)
        self.click(f".sides label:has([value={side}])")
        if not self.script("return document.querySelector('.more').open"):
            self.click(".more summary")
        if self.script("return document.getElementById('new-delay').checked"):
            self.click("#new-delay")
        if fen is not None:
            self.choose("#new-chess960", "fen")
            self.find("#new-fen").clear()
            self.find("#new-fen").send_keys(fen)
        self.click("#new-start")
        self.find("#play-panel")

    def moves(self, view: str = "play") -> list[str]:
        """The moves of the list, in SAN."""
        return self.script("return [...document.querySelectorAll(arguments[0])].map((cell) => cell.textContent)",
                           f"#{view}-moves ol > li > button > span:first-child")

    def wait_for_moves(self, count: int, view: str = "play") -> list[str]:
        return self.wait(lambda: (found := self.moves(view)) and len(found) >= count and found, f"{count} moves")

    def answer_time(self, san: str) -> float:
        """Milliseconds from a typed move to the engine's answer in the list, as the page sees them."""
        self.driver.set_script_timeout(PATIENCE)
        return self.driver.execute_async_script("""
            const [san, done] = arguments, began = performance.now(), list = document.getElementById("play-moves");
            const cells = "ol > li > button", before = list.querySelectorAll(cells).length;
            new MutationObserver((_, watcher) => {
              if (list.querySelectorAll(cells).length < before + 2) return;
              watcher.disconnect();
              done(performance.now() - began);
            }).observe(list, {childList: true});
            document.getElementById("play-text").value = san;
            document.getElementById("play-type").requestSubmit();""", san)

    def drop(self, name: str, text: str) -> None:
        """Drops a file on the page."""
        self.script("""
            const data = new DataTransfer();
            data.items.add(new File([arguments[1]], arguments[0], {type: "text/plain"}));
            for (const type of ["dragover", "drop"]) {
              document.body.dispatchEvent(new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}));
            }""", name, text)

    def copied(self, selector: str) -> str:
        """What a click on a button puts into the clipboard."""
        self.script("""window.copied = null;
            navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); };""")
        self.click_hidden(selector)
        return str(self.wait(lambda: self.script("return window.copied"), "a copy"))

    def click_hidden(self, selector: str) -> None:
        """Clicks what may stand in a closed menu."""
        self.script("document.querySelector(arguments[0]).click()", selector)

    def value(self, selector: str) -> str:
        """The text of a field."""
        return str(self.script("return document.querySelector(arguments[0]).value", selector))

    def current(self) -> str:
        """The current move of the analysis board."""
        return self.text("#analyse-moves [aria-current] > span:first-child")

    def keys(self, *keys: str) -> None:
        """Presses keys with Shift or Control held: `shift`, `ctrl`, then the key."""
        chain, names = ActionChains(self.driver), {"shift": Keys.SHIFT, "ctrl": Keys.CONTROL}
        for key in keys[:-1]:
            chain = chain.key_down(names[key])
        chain = chain.send_keys(keys[-1])
        for key in keys[:-1]:
            chain = chain.key_up(names[key])
        chain.perform()
