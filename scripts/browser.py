"""A headless Chromium, driven over a pipe by its DevTools protocol. Needs nothing but the browser."""

import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """`with Browser(path) as browser`: a process with pages. Each command has `seconds` to answer."""

    def __init__(self, path, seconds=30):
        self.path, self.seconds = path, seconds

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.to = os.pipe()
        self.by, theirs_out = os.pipe()
        command = [self.path, "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--hide-scrollbars", "--force-color-profile=srgb", f"--user-data-dir={self.folder.name}"]

        def place():
            # The browser reads file 3 and writes file 4. Copies, since these may be 3 or 4 themselves.
            read, write = (fcntl.fcntl(end, fcntl.F_DUPFD, 5) for end in (theirs_in, theirs_out))
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(3, 4),
                                        preexec_fn=place)
        os.close(theirs_in)
        os.close(theirs_out)
        self.number, self.rest, self.events = 0, b"", []
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(5)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.by)
        self.folder.cleanup()

    def message(self, until):
        """The next message of the browser."""
        while b"\0" not in self.rest:
            if not select.select([self.by], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.by, 1 << 20)
            if not part:
                raise OSError("the browser ended")
            self.rest += part
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, session=None, **params):
        """The result of a command."""
        self.number += 1
        text = json.dumps({"id": self.number, "method": method, "params": params, **({"sessionId": session} if session else {})})
        data = text.encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        until = time.monotonic() + self.seconds
        while True:
            message = self.message(until)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def wait(self, method, session):
        """Until the browser has sent this event."""
        until = time.monotonic() + self.seconds
        while True:
            for event in self.events:
                if event.get("method") == method and event.get("sessionId") == session:
                    self.events.clear()
                    return
            self.events.append(self.message(until))

    def open(self, path, width, theme="light", before="", height=900):
        """A page of this width, with the script `before` run ahead of its own."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        page = Page(self, self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"], target)
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        page.call("Page.enable")
        if before:
            page.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        page.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.wait("Page.loadEventFired", page.session)
        return page


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def evaluate(self, script):
        """The value of an expression, as JSON has it; of a promise, its result."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def screenshot(self, path, clip=None, scale=1):
        """The whole page as PNG, or the rectangle `clip`: x, y, width, height."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        x, y, width, height = clip or (0, 0, size["width"], size["height"])
        image = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                          clip={"x": x, "y": y, "width": width, "height": height, "scale": scale})
        pathlib.Path(path).write_bytes(base64.b64decode(image["data"]))

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
