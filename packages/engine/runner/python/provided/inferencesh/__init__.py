"""The package `inferencesh` for apps where the published one is not installed.

It has everything that apps use: models, files, metadata, errors and streams. The published package also has a client of
the API, with its types and tool builders; those names ask for that package.
"""

from __future__ import annotations

from ._published import unavailable
from .models import (
    APIError,
    AudioMeta,
    BaseApp,
    BaseAppInput,
    BaseAppOutput,
    BaseAppSetup,
    ContextMessage,
    ContextMessageRole,
    File,
    ImageMeta,
    LLMInput,
    LLMOutput,
    Message,
    MetaItem,
    MetaItemType,
    Metadata,
    OutputMeta,
    RawMeta,
    RequirementError,
    RequirementsNotMetError,
    SessionEndedError,
    SessionError,
    SessionExpiredError,
    SessionNotFoundError,
    SetupAction,
    TextMeta,
    VideoMeta,
    VideoResolution,
    WorkerLostError,
    build_messages,
    stream_generate,
    timing_context,
)
from .streamable import StreamableMessage, iter_ndjson, stream_get, stream_post, streamable, streamable_raw
from .types import ChatMessageStatus, TaskStatus, is_message_ready, is_terminal_status, parse_status
from .utils import StorageDir, download

__all__ = [
    "APIError",
    "AudioMeta",
    "BaseApp",
    "BaseAppInput",
    "BaseAppOutput",
    "BaseAppSetup",
    "ChatMessageStatus",
    "ContextMessage",
    "ContextMessageRole",
    "File",
    "ImageMeta",
    "LLMInput",
    "LLMOutput",
    "Message",
    "MetaItem",
    "MetaItemType",
    "Metadata",
    "OutputMeta",
    "RawMeta",
    "RequirementError",
    "RequirementsNotMetError",
    "SessionEndedError",
    "SessionError",
    "SessionExpiredError",
    "SessionNotFoundError",
    "SetupAction",
    "StorageDir",
    "StreamableMessage",
    "TaskStatus",
    "TextMeta",
    "VideoMeta",
    "VideoResolution",
    "WorkerLostError",
    "build_messages",
    "download",
    "is_message_ready",
    "is_terminal_status",
    "iter_ndjson",
    "parse_status",
    "stream_generate",
    "stream_get",
    "stream_post",
    "streamable",
    "streamable_raw",
    "timing_context",
    "__version__",
]

__version__ = "0"


def __getattr__(name: str) -> object:
    raise unavailable(__name__, name)
