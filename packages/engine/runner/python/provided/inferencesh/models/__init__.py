"""Models of apps, files, language models and metadata."""

from .base import BaseApp, BaseAppInput, BaseAppOutput, BaseAppSetup, Metadata
from .errors import (
    APIError,
    RequirementError,
    RequirementsNotMetError,
    SessionEndedError,
    SessionError,
    SessionExpiredError,
    SessionNotFoundError,
    SetupAction,
    WorkerLostError,
)
from .file import File
from .llm import ContextMessage, ContextMessageRole, LLMInput, LLMOutput, Message
from .llm_messages import build_messages
from .llm_streaming import stream_generate
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
    "APIError",
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
    "RequirementError",
    "RequirementsNotMetError",
    "SessionEndedError",
    "SessionError",
    "SessionExpiredError",
    "SessionNotFoundError",
    "SetupAction",
    "TextMeta",
    "VideoMeta",
    "VideoResolution",
    "WorkerLostError",
    "build_messages",
    "stream_generate",
    "timing_context",
]
