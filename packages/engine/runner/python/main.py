"""The process a Python app lives in.

Loads the bundle's App class and serves the engine over HTTP on a local port: there is one engine and one call
at a time, authenticated by a token. Uses the standard library only. Markers on stdout and stderr announce the port and
the end of each run's log lines.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import signal
import sys
import threading
from asyncio import StreamReader, StreamWriter
from typing import Any, Optional

from millrace_runner import app_loader, egress, errors, outputs, runs, sockets

HEADER_LIMIT = 64 * 1024

Body = dict[str, Any]


def take_settings() -> dict[str, Any]:
    """Removes the settings from the environment, so that programs started by the app do not inherit the token."""
    host, port = os.environ.pop("MILLRACE_RUNNER_LISTEN", "127.0.0.1:0").split(":")
    return {
        "bundle": sys.argv[1],
        # `unix:<path>` or `<host>:<port>`.
        "host": host,
        "port": port,
        "forward": os.environ.pop("MILLRACE_RUNNER_FORWARD", None),
        "token": os.environ.pop("MILLRACE_RUNNER_TOKEN", ""),
    }


class Marker:
    """Writes marker lines to both streams, through copies the app cannot replace."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.outputs = [os.dup(1), os.dup(2)]

    def __call__(self, content: dict[str, Any]) -> None:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
        line = f"\x1e{self.token} {json.dumps(content)}\n".encode()
        for number in self.outputs:
            try:
                os.write(number, line)
            except OSError:
                pass


def watch_engine() -> None:
    """The engine owns our stdin. When the engine dies, the pipe closes and this process group ends."""

    def wait() -> None:
        while os.read(0, 64):
            pass
        try:
            os.killpg(os.getpgid(0), signal.SIGKILL)
        finally:
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


class Server:
    def __init__(
        self, settings: dict[str, Any], mark: Marker, reporter: errors.ErrorReporter, app: app_loader.LoadedApp
    ) -> None:
        self.settings = settings
        self.mark = mark
        self.reporter = reporter
        self.app = app
        self.sockets = sockets.Sockets()
        self.running: Optional[str] = None

    async def serve(self) -> None:
        host, port = self.settings["host"], self.settings["port"]
        if host == "unix":
            server = await asyncio.start_unix_server(self.connection, port, limit=HEADER_LIMIT)
            self.mark({"port": 0})
        else:
            server = await asyncio.start_server(self.connection, host, int(port), limit=HEADER_LIMIT)
            self.mark({"port": server.sockets[0].getsockname()[1]})
        async with server:
            await server.serve_forever()

    async def connection(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            while await self.request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def request(self, reader: StreamReader, writer: StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ", 2)
        headers = {}
        for line in lines[1:]:
            if ":" in line:
                key, value = line.split(":", 1)
                headers[key.strip().lower()] = value.strip()
        if not hmac.compare_digest(headers.get("x-millrace-token", "").encode(), self.settings["token"].encode()):
            await answer(writer, 403, {"error": "wrong token"})
            return False
        if headers.get("upgrade", "").lower() == "websocket" and path.startswith("/socket/"):
            await self.sockets.attach(path[len("/socket/") :], headers, reader, writer)
            return False
        body = await reader.readexactly(int(headers.get("content-length", "0") or "0"))
        route = getattr(self, f"{method.lower()}_{path.strip('/')}", None)
        if route is None:
            await answer(writer, 404, {"error": "route not found"})
            return True
        await route(json.loads(body) if body else {}, writer)
        return True

    async def get_health(self, _body: Body, writer: StreamWriter) -> None:
        await answer(writer, 200, {"ok": True})

    async def get_schema(self, _body: Body, writer: StreamWriter) -> None:
        await answer(writer, 200, self.app.schema)

    async def post_setup(self, body: Body, writer: StreamWriter) -> None:
        try:
            await self.app.set_up(body.get("setup") or {}, outputs.Metadata(body.get("metadata") or {}))
        except BaseException as error:  # noqa: BLE001 - an app may raise anything
            self.reporter.print(error)
            self.mark({"end": "setup"})
            await answer(writer, 500, {"error": self.reporter.describe(error)})
            return
        self.mark({"end": "setup"})
        await answer(writer, 200, {"ok": True})

    async def post_run(self, body: Body, writer: StreamWriter) -> None:
        if self.running is not None:
            await answer(writer, 409, {"error": "the app is already running a task"})
            return
        self.running = (body.get("metadata") or {}).get("task_id", "")
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n"
        )

        async def emit(line: str) -> None:
            data = line.encode()
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            await writer.drain()

        try:
            last = await runs.run_function(self.app, body, self.sockets, self.reporter, emit)
            # The log marker is written first, so that the engine has every line of this run when it reads the result.
            self.mark({"end": self.running})
            await emit(last)
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        finally:
            self.running = None

    async def post_cancel(self, body: Body, writer: StreamWriter) -> None:
        handler = getattr(self.app.instance, "on_cancel", None)
        if handler is None:
            await answer(writer, 200, {"handled": False})
            return
        self.sockets.hang_up((body.get("metadata") or {}).get("task_id", ""))
        try:
            await runs.call(handler)
        except BaseException as error:  # noqa: BLE001
            await answer(writer, 500, {"error": self.reporter.describe(error)})
            return
        await answer(writer, 200, {"handled": True})

    async def post_unload(self, _body: Body, writer: StreamWriter) -> None:
        handler = getattr(self.app.instance, "unload", None)
        try:
            if handler is not None:
                await runs.call(handler)
        finally:
            await answer(writer, 200, {"ok": True})
            os._exit(0)


async def answer(writer: StreamWriter, status: int, body: Any) -> None:
    data = json.dumps(body).encode()
    writer.write(
        f"HTTP/1.1 {status} -\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n".encode() + data
    )
    await writer.drain()


def main() -> None:
    settings = take_settings()
    mark = Marker(settings["token"])
    watch_engine()
    if settings["forward"]:
        egress.open_forwards(settings["forward"])
    outputs.install_module()
    reporter = errors.ErrorReporter(settings["bundle"])
    try:
        app = app_loader.load(settings["bundle"])
    except BaseException as error:  # noqa: BLE001
        reporter.print(error)
        mark({"failed": f"the app could not be loaded: {reporter.describe(error)}"})
        os._exit(1)
    asyncio.run(Server(settings, mark, reporter, app).serve())


if __name__ == "__main__":
    main()
