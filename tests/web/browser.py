# SPDX-License-Identifier: BSD-3-Clause
"""Chromium without a window, driven through its debugging pipe; and a server of files for it."""
import base64
import functools
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading


class Server(http.server.ThreadingHTTPServer):
    """Serves a folder on a free port of this machine, and others below prefixes of paths: {prefix: folder}."""

    def __init__(self, folder, others=None):

        class Handler(http.server.SimpleHTTPRequestHandler):
            extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map,
                              ".js": "text/javascript", ".wasm": "application/wasm"}

            def translate_path(self, path):
                for prefix, other in (others or {}).items():
                    if path.startswith(prefix):
                        return os.path.join(other, os.path.basename(path))
                return super().translate_path(path)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server_address[1]}"


class Browser:
    """One page. Messages are JSON, a zero byte ends each (--remote-debugging-pipe: descriptors 3 and 4)."""

    def __init__(self, program, *options):
        self.profile = tempfile.mkdtemp()
        to_read, self.to = os.pipe()
        self.source, from_write = os.pipe()

        def place():
            first, second = os.dup(to_read), os.dup(from_write)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--no-first-run",
             "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={self.profile}",
             "--remote-debugging-pipe", *options, "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.buffer, self.last, self.session, self.messages = b"", 0, None, []
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=1200, height=1000, deviceScaleFactor=1, mobile=False)

    def receive(self):
        while b"\0" not in self.buffer:
            data = os.read(self.source, 1 << 20)
            if not data:
                raise RuntimeError("the browser is gone")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if answer.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.messages.append(json.dumps(answer["params"]))

    def open(self, address):
        self.messages.clear()
        self.call("Page.navigate", url=address)

    def evaluate(self, expression):
        """The value of an expression, or of the promise that it is."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description", "exception"))
        return result["result"].get("value")

    def wait(self, condition, seconds=60):
        """Waits until an expression is true."""
        return self.evaluate(
            f"(async () => {{ for (let i = 0; i < {20 * seconds}; ++i) {{ if ({condition}) return true;"
            " await new Promise((r) => setTimeout(r, 50)); } return false; })()")

    def screenshot(self, path, dark=False):
        value = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])
        self.evaluate("new Promise((r) => setTimeout(r, 200))")
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
