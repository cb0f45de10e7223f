"""Models of apps, files, language models and metadata."""

from .base import BaseApp, BaseAppInput, BaseAppOutput, BaseAppSetup, Metadata
from .file import File
from .llm import ContextMessage, ContextMessageRole, LLMInput, LLMOutput, Message
from .llm_messages import build_messages
from .llm_timing import timing_context
from .output_meta import (
    AudioMeta,
    ImageMeta,
    MetaItem,
    MetaItemType,
    OutputMeta,
    RawMeta,
    TextMeta,
    VideoMeta,
    VideoResolution,
)

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
    "TextMeta",
    "VideoMeta",
    "VideoResolution",
    "build_messages",
    "timing_context",
]
