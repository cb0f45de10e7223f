"""The package `inferencesh` for apps where the published one is not installed: models, files and metadata.

The client of the published package is not part of it.
"""

from __future__ import annotations

from ._published import unavailable
from .models import (
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
    Metadata,
    MetaItem,
    MetaItemType,
    OutputMeta,
    RawMeta,
    TextMeta,
    VideoMeta,
    VideoResolution,
    build_messages,
    timing_context,
)
from .utils import StorageDir, download

__all__ = [
    "AudioMeta",
    "BaseApp",
    "BaseAppInput",
    "BaseAppOutput",
    "BaseAppSetup",
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
    "StorageDir",
    "TextMeta",
    "VideoMeta",
    "VideoResolution",
    "build_messages",
    "download",
    "timing_context",
]


def __getattr__(name: str) -> object:
    raise unavailable(__name__, name)
