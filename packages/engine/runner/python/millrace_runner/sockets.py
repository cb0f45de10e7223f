"""The app's end of a live socket: a WebSocket server for one connection per task, in the standard library."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import struct
from asyncio import StreamReader, StreamWriter
from typing import Any, Optional, Union

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
MAX_FRAME_BYTES = 64 * 1024 * 1024

Frame = Union[str, bytes]


class Sockets:
    def __init__(self) -> None:
        self.by_task: dict[str, Socket] = {}

    def channel(self, task_id: str) -> Socket:
        return self.by_task.setdefault(task_id, Socket(task_id))

    def for_task(self, task_id: str, metadata: dict[str, Any]) -> Socket:
        socket = self.channel(task_id)
        socket.metadata = metadata
        return socket

    async def attach(
        self, task_id: str, headers: dict[str, str], reader: StreamReader, writer: StreamWriter
    ) -> None:
        key = headers.get("sec-websocket-key", "")
        accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        writer.write(
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
            f"sec-websocket-accept: {accept}\r\n\r\n".encode()
        )
        await writer.drain()
        await self.channel(task_id).serve(reader, writer)

    def hang_up(self, task_id: str) -> None:
        """Ends the input of the function, so that it can return."""
        socket = self.by_task.get(task_id)
        if socket is not None:
            socket.hang_up()

    async def finish(self, task_id: str) -> None:
        socket = self.by_task.pop(task_id, None)
        if socket is not None:
            await socket.shut()


class Socket:
    def __init__(self, task_id: str) -> None:
        self.id = task_id
        self.metadata: dict[str, Any] = {}
        self.closed = False
        self.peer_gone = False
        self.frames: asyncio.Queue[Optional[Frame]] = asyncio.Queue(maxsize=256)
        self.ready = asyncio.Event()
        self.writer: Optional[StreamWriter] = None

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.writer = writer
        self.ready.set()
        try:
            await self.read_frames(reader)
        except (ConnectionError, asyncio.IncompleteReadError, ValueError):
            pass
        finally:
            self.peer_gone = True
            await self.end()

    async def read_frames(self, reader: StreamReader) -> None:
        parts: list[bytes] = []
        kind = 0
        while True:
            final, opcode, payload = await read_frame(reader)
            if opcode == 8:
                return
            if opcode == 9:
                await self.write_frame(10, payload)
            if opcode in (0, 1, 2):
                kind = opcode or kind
                parts.append(payload)
                if final:
                    whole = b"".join(parts)
                    parts = []
                    await self.frames.put(whole.decode() if kind == 1 else whole)

    async def end(self) -> None:
        if not self.closed:
            self.closed = True
            self.ready.set()
            await self.frames.put(None)

    def hang_up(self) -> None:
        if self.closed:
            return
        self.closed = True
        self.ready.set()
        # A full queue has no waiting reader; the reader finds the end later.
        if not self.frames.full():
            self.frames.put_nowait(None)

    async def shut(self) -> None:
        if self.writer is not None and not self.peer_gone:
            await self.write_frame(8, struct.pack("!H", 1000))
        self.closed = True

    async def recv(self) -> Optional[Frame]:
        if self.closed and self.frames.empty():
            return None
        return await self.frames.get()

    def __aiter__(self) -> Socket:
        return self

    async def __anext__(self) -> Frame:
        frame = await self.recv()
        if frame is None:
            raise StopAsyncIteration
        return frame

    async def send(self, data: Any) -> None:
        await self.ready.wait()
        if self.closed:
            raise ConnectionError("the socket is closed")
        if isinstance(data, (bytes, bytearray, memoryview)):
            await self.write_frame(2, bytes(data))
        else:
            await self.write_frame(1, (data if isinstance(data, str) else json.dumps(data)).encode())

    async def close(self) -> None:
        await self.end()

    async def write_frame(self, opcode: int, payload: bytes) -> None:
        size = len(payload)
        if size < 126:
            head = struct.pack("!BB", 0x80 | opcode, size)
        elif size < 65536:
            head = struct.pack("!BBH", 0x80 | opcode, 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | opcode, 127, size)
        if self.writer is None:
            raise ConnectionError("the socket is not connected")
        self.writer.write(head + payload)
        await self.writer.drain()


async def read_frame(reader: StreamReader) -> tuple[bool, int, bytes]:
    first, second = await reader.readexactly(2)
    size = second & 0x7F
    if size == 126:
        size = struct.unpack("!H", await reader.readexactly(2))[0]
    elif size == 127:
        size = struct.unpack("!Q", await reader.readexactly(8))[0]
    if size > MAX_FRAME_BYTES:
        raise ValueError("frame too large")
    mask = await reader.readexactly(4) if second & 0x80 else None
    payload = await reader.readexactly(size)
    return bool(first & 0x80), first & 0x0F, unmask(payload, mask) if mask else payload


def unmask(payload: bytes, mask: bytes) -> bytes:
    """One xor of two large integers is much faster than a loop over bytes."""
    if not payload:
        return payload
    pad = (mask * (len(payload) // 4 + 1))[: len(payload)]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(pad, "big")).to_bytes(len(payload), "big")
