"""One call of an app function, answered as NDJSON lines.

Every error raised by the app becomes the error line.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, Generator, Optional, TypeVar

from . import outputs, own_files
from .errors import ErrorReporter
from .sockets import Sockets

if TYPE_CHECKING:
    from .app_loader import LoadedApp, LoadedFunction

DONE = object()

Body = dict[str, Any]
Line = dict[str, Any]
Content = TypeVar("Content")
Emit = Callable[[Content], Awaitable[None]]


async def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a handler, sync or async. Sync ones run in a thread, so that a cancel can still arrive."""
    if inspect.iscoroutinefunction(function):
        return await function(*arguments)
    result = await asyncio.to_thread(function, *arguments)
    return await result if inspect.isawaitable(result) else result


async def run_function(app: LoadedApp, body: Body, sockets: Sockets, reporter: ErrorReporter, emit: Emit[str]) -> str:
    """Emits a line for each yield and returns the last line."""
    metadata = outputs.Metadata(body.get("metadata") or {})
    task_id = metadata.get("task_id", "")
    join_trace(metadata.get("traceparent"))
    own_files.begin_run()
    try:
        fn = function_of(app, body)

        async def emit_line(line: Line) -> None:
            await emit(to_line(line, fn))

        return to_line({"type": "result", **(await invoke(fn, body, metadata, sockets, emit_line))}, fn)
    except BaseException as error:  # noqa: BLE001
        reporter.print(error)
        return to_line({"type": "error", "error": reporter.describe(error)})
    finally:
        await sockets.finish(task_id)


def join_trace(traceparent: Optional[str]) -> None:
    """Tracing libraries, and programs started by the app, read the current trace from this variable."""
    if traceparent:
        os.environ["TRACEPARENT"] = traceparent
    else:
        os.environ.pop("TRACEPARENT", None)


def function_of(app: LoadedApp, body: Body) -> LoadedFunction:
    name = body.get("function") or "run"
    fn = app.functions.get(name)
    if fn is None:
        raise RuntimeError(f"the app has no function named {name}")
    return fn


async def invoke(
    fn: LoadedFunction, body: Body, metadata: outputs.Metadata, sockets: Sockets, emit: Emit[Line]
) -> Line:
    values = outputs.with_files(fn.input_schema, body.get("input"))
    arguments = [fn.build_input(values)] if fn.takes_input else []
    for extra in fn.extra:
        arguments.append(sockets.for_task(metadata.get("task_id", ""), metadata) if extra == "socket" else metadata)
    if inspect.isasyncgenfunction(fn.method):
        return await drain(fn.method(*arguments), emit)
    if inspect.isgeneratorfunction(fn.method):
        return await drain(in_threads(fn.method(*arguments)), emit)
    return {"data": await call(fn.method, *arguments)}


async def in_threads(generator: Generator[Any, None, Any]) -> AsyncIterator[Any]:
    """Steps a sync generator in a thread. Its return value is yielded last, as Returned."""

    def step() -> Any:
        try:
            return next(generator)
        except StopIteration as end:
            return Returned(end.value)

    while True:
        value = await asyncio.to_thread(step)
        yield value
        if isinstance(value, Returned):
            return


class Returned:
    def __init__(self, value: Any) -> None:
        self.value = value


async def drain(generator: AsyncIterator[Any], emit: Emit[Line]) -> Line:
    """The returned value wins, then the last full output. With neither, the engine merges the deltas."""
    latest = DONE
    async for value in generator:
        if isinstance(value, Returned):
            if value.value is not None:
                return {"data": value.value}
            break
        if is_delta(value):
            await emit({"type": "delta", "data": value})
        else:
            latest = value
            await emit({"type": "output", "data": value})
    return {} if latest is DONE else {"data": latest}


def is_delta(value: Any) -> bool:
    return any(base.__name__.endswith("Delta") for base in type(value).__mro__)


def to_line(line: Line, fn: Optional[LoadedFunction] = None) -> str:
    if "data" in line:
        line = {**line, "data": on_wire(line["data"], fn)}
    try:
        return json.dumps(line, allow_nan=False, ensure_ascii=False) + "\n"
    except (TypeError, ValueError) as error:
        raise RuntimeError(f"the output is not valid JSON: {error}") from error


def on_wire(value: Any, fn: Optional[LoadedFunction]) -> Any:
    try:
        return outputs.to_wire(value, fn.output_schema if fn else None)
    except RecursionError as error:
        raise RuntimeError(f"the output is not valid JSON: {error}") from error
