"""Statuses of runs and messages, and functions that read them."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Optional, Union

from ._published import unavailable

__all__ = ["ChatMessageStatus", "TaskStatus", "is_message_ready", "is_terminal_status", "parse_status"]


def __getattr__(name: str) -> object:
    raise unavailable(__name__, name)


class TaskStatus(IntEnum):
    UNKNOWN = 0
    RECEIVED = 1
    QUEUED = 2
    DISPATCHED = 3
    PREPARING = 4
    SERVING = 5
    SETTING_UP = 6
    RUNNING = 7
    CANCELLING = 8
    UPLOADING = 9
    COMPLETED = 10
    FAILED = 11
    CANCELLED = 12


class ChatMessageStatus(str, Enum):
    PENDING = "pending"
    READY = "ready"
    FAILED = "failed"
    CANCELLED = "cancelled"


def parse_status(status: Union[int, str, None]) -> Optional[TaskStatus]:
    """Reads the number or the name of a status."""
    if status is None:
        return None
    try:
        return TaskStatus[status.upper()] if isinstance(status, str) else TaskStatus(status)
    except (KeyError, ValueError):
        return TaskStatus.UNKNOWN


def is_terminal_status(status: Union[int, str, None]) -> bool:
    return parse_status(status) in (TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED)


def is_message_ready(status: Optional[str]) -> bool:
    return bool(status) and status != ChatMessageStatus.PENDING
