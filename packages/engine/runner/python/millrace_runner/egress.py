"""In a sandbox without a network: local ports that forward to the engine's proxy through a mounted socket.

A separate thread serves them, so that they work while the app blocks the main thread.
"""

from __future__ import annotations

import asyncio
import threading
from asyncio import StreamReader, StreamWriter

CHUNK = 64 * 1024


async def copy(reader: StreamReader, writer: StreamWriter) -> None:
    try:
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except OSError:
        writer.close()


async def serve(path: str, ports: list[int], ready: threading.Event) -> None:
    async def connection(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_unix_connection(path)
        except OSError:
            writer.close()
            return
        try:
            await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))
        finally:
            far_writer.close()
            writer.close()

    for port in ports:
        await asyncio.start_server(connection, "127.0.0.1", port)
    ready.set()
    await asyncio.Event().wait()


def open_forwards(target: str) -> None:
    """`target` is `<socket>:<port>[,<port>...]`. Returns when the ports accept connections."""
    path, ports = target.split(":")
    ready = threading.Event()
    listening = [int(port) for port in ports.split(",")]
    threading.Thread(target=lambda: asyncio.run(serve(path, listening, ready)), daemon=True).start()
    ready.wait(10)
