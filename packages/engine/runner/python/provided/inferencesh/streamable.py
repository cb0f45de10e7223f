"""Reads responses that are streamed as one JSON value per line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional

__all__ = ["StreamableMessage", "iter_ndjson", "stream_get", "stream_post", "streamable", "streamable_raw"]


@dataclass
class StreamableMessage:
    data: Any
    event: Optional[str] = None
    fields: Optional[List[str]] = None


def parsed_lines(response: Any) -> Iterator[Any]:
    """Lines that are not JSON are ignored."""
    for line in response.iter_lines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def is_heartbeat(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "heartbeat"


def streamable(response: Any, skip_heartbeats: bool = True) -> Iterator[Any]:
    """Yields the values without the object `{"data": …}` around them."""
    for value in parsed_lines(response):
        if not (skip_heartbeats and is_heartbeat(value)):
            yield value["data"] if isinstance(value, dict) and "data" in value else value


def streamable_raw(response: Any, skip_heartbeats: bool = True) -> Iterator[StreamableMessage]:
    for value in parsed_lines(response):
        if skip_heartbeats and is_heartbeat(value):
            continue
        if isinstance(value, dict):
            yield StreamableMessage(value.get("data", value), value.get("event"), value.get("fields"))
        else:
            yield StreamableMessage(value)


def iter_ndjson(response: Any, on_heartbeat: Optional[Callable[[], None]] = None) -> Iterator[Any]:
    for value in parsed_lines(response):
        if not is_heartbeat(value):
            yield value
        elif on_heartbeat:
            on_heartbeat()


def stream_post(
    client: Any,
    url: str,
    json_body: Optional[Dict[str, Any]] = None,
    headers: Optional[Dict[str, str]] = None,
    skip_heartbeats: bool = True,
    timeout: Optional[float] = None,
) -> Iterator[Any]:
    """`client` is an httpx.Client or has its method `stream`."""
    return _stream(client.stream("POST", url, json=json_body, headers=_accepting(headers), timeout=timeout), skip_heartbeats)


def stream_get(
    client: Any,
    url: str,
    headers: Optional[Dict[str, str]] = None,
    skip_heartbeats: bool = True,
    timeout: Optional[float] = None,
) -> Iterator[Any]:
    return _stream(client.stream("GET", url, headers=_accepting(headers), timeout=timeout), skip_heartbeats)


def _accepting(headers: Optional[Dict[str, str]]) -> Dict[str, str]:
    return {"Accept": "application/x-ndjson", **(headers or {})}


def _stream(opened: Any, skip_heartbeats: bool) -> Iterator[Any]:
    with opened as response:
        response.raise_for_status()
        yield from streamable(response, skip_heartbeats=skip_heartbeats)
