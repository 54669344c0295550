"""Drives Debian's chromium through its debugging pipe: JSON messages that end in a zero byte, on
descriptors 3 and 4. Nothing but the standard library."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Chromium:
    """One browser; close() ends it and removes its profile."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="ration-chromium-")
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        # The browser reads descriptor 3 and writes 4; both ends are moved out of the way first.
        command = ["bash", "-c", 'exec "$@" 3<&"$RATION_READ" 4>&"$RATION_WRITE"', "chromium",
                   "chromium", "--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={self.profile}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")
        self._process = subprocess.Popen(
            command, pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "RATION_READ": str(to_browser), "RATION_WRITE": str(from_browser)})
        os.close(to_browser)
        os.close(from_browser)
        self._number = 0
        self._buffer = b""
        self.events = []

    def close(self):
        try:
            self.send("Browser.close")
            self._process.wait(timeout=20)
        except (TimeoutError, RuntimeError, subprocess.TimeoutExpired, OSError):
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _message(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("chromium does not answer")
            read = os.read(self._in, 1 << 20)
            if not read:
                raise RuntimeError("chromium has ended")
            self._buffer += read
        text, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, session=None, seconds=60, **parameters):
        """The result of a command; what happens meanwhile is kept in events."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + seconds
        while True:
            answer = self._message(deadline)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def wait_for(self, method, session, seconds=60):
        deadline = time.monotonic() + seconds
        while True:
            for event in self.events:
                if event["method"] == method and event.get("sessionId") == session:
                    return event
            message = self._message(deadline)
            if "method" in message:
                self.events.append(message)

    def open(self, file, width=1200, height=900, dark=False, scripts=True):
        return Page(self, file, width, height, dark, scripts)


class Page:
    """A tab with a file in it, loaded. What it said and asked for is in messages() and requests()."""

    def __init__(self, browser, file, width, height, dark, scripts):
        self.browser = browser
        self.target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.resize(width, height)
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        if not scripts:
            self.send("Emulation.setScriptExecutionDisabled", value=True)
        self.url = "file://" + os.path.abspath(file)
        self.load()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.send("Target.closeTarget", targetId=self.target)

    def send(self, method, **parameters):
        return self.browser.send(method, session=self.session, **parameters)

    def load(self):
        self.browser.events = [e for e in self.browser.events if e.get("sessionId") != self.session]
        start = time.monotonic()
        self.send("Page.navigate", url=self.url)
        self.browser.wait_for("Page.loadEventFired", self.session)
        self.seconds = time.monotonic() - start

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)

    def evaluate(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def press(self, key):
        code = {"Tab": 9, "Enter": 13}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      **(text if kind == "keyDown" else {}))

    def _events(self, *methods):
        self.evaluate("0")  # all that was sent before has arrived
        return [e["params"] for e in self.browser.events
                if e.get("sessionId") == self.session and e["method"] in methods]

    def messages(self):
        return self._events("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")

    def requests(self):
        return [e["request"]["url"] for e in self._events("Network.requestWillBeSent")]

    def screenshot(self, file):
        """Of the whole page, however long."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        answer = self.send("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        with open(file, "wb") as out:
            out.write(base64.b64decode(answer["data"]))

    def pdf(self, file):
        answer = self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        with open(file, "wb") as out:
            out.write(base64.b64decode(answer["data"]))
