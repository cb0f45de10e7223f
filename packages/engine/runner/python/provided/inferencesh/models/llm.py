"""Inputs and outputs of apps that call a language model."""

from __future__ import annotations

from enum import Enum
from typing import Any, Dict, List, Optional

from pydantic import BaseModel, Field

from .._published import unavailable
from .base import BaseAppInput, BaseAppOutput
from .file import File
from .llm_messages import build_messages, build_openai_messages, build_tools, file_to_base64_data_uri, image_to_base64_data_uri
from .llm_streaming import ResponseState, ResponseTransformer, StreamResponse, stream_generate
from .llm_timing import timing_context

__all__ = [
    "ResponseState",
    "ResponseTransformer",
    "StreamResponse",
    "build_messages",
    "build_openai_messages",
    "build_tools",
    "file_to_base64_data_uri",
    "image_to_base64_data_uri",
    "stream_generate",
    "timing_context",
]


def __getattr__(name: str) -> object:
    raise unavailable(__name__, name)


class ContextMessageRole(str, Enum):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Message(BaseAppInput):
    role: ContextMessageRole
    content: str


class ContextMessage(BaseAppInput):
    role: ContextMessageRole = Field(description="Author of the message")
    text: str = Field(description="Text of the message")
    reasoning: Optional[str] = Field(default=None, description="Reasoning of the model")
    images: Optional[List[File]] = Field(default=None, description="Images of the message")
    files: Optional[List[File]] = Field(default=None, description="Files of the message")
    tool_calls: Optional[List[Dict[str, Any]]] = Field(default=None, description="Tool calls of the model")
    tool_call_id: Optional[str] = Field(default=None, description="The call that a tool message answers")


class BaseLLMInput(BaseAppInput):
    system_prompt: str = Field(
        default="You are a helpful assistant that answers questions and helps with tasks.",
        description="Instructions for the model",
    )
    context: List[ContextMessage] = Field(default=[], description="Earlier messages")
    role: ContextMessageRole = Field(default=ContextMessageRole.USER, description="Author of the text")
    text: str = Field(description="The message to answer")
    temperature: float = Field(default=0.7, ge=0.0, le=1.0)
    top_p: float = Field(default=0.95, ge=0.0, le=1.0)
    context_size: int = Field(default=4096)
    max_tokens: int = Field(default=64000)


class ImageCapabilityMixin(BaseModel):
    images: Optional[List[File]] = Field(default=None, description="Images for the model")


class FileCapabilityMixin(BaseModel):
    files: Optional[List[File]] = Field(default=None, description="Files for the model")


class ReasoningEffortEnum(str, Enum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    NONE = "none"


class ReasoningCapabilityMixin(BaseModel):
    reasoning: Optional[str] = Field(default=None, description="Reasoning of the message")
    reasoning_effort: ReasoningEffortEnum = Field(default=ReasoningEffortEnum.NONE, description="Effort of reasoning")
    reasoning_max_tokens: Optional[int] = Field(default=None, description="Limit of tokens for reasoning")


class ToolsCapabilityMixin(BaseModel):
    tools: Optional[List[Dict[str, Any]]] = Field(default=None, description="Tools that the model can call")
    tool_call_id: Optional[str] = Field(default=None, description="The call that a tool message answers")


class LLMInput(BaseLLMInput):
    pass


class LLMUsage(BaseAppOutput):
    stop_reason: str = ""
    time_to_first_token: float = 0.0
    tokens_per_second: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0
    reasoning_tokens: int = 0
    reasoning_time: float = 0.0


class BaseLLMOutput(BaseAppOutput):
    response: str = Field(description="Text of the model")


class LLMUsageMixin(BaseModel):
    usage: Optional[LLMUsage] = Field(default=None, description="Tokens and times")


class ReasoningMixin(BaseModel):
    reasoning: Optional[str] = Field(default=None, description="Reasoning of the model")


class ToolCallsMixin(BaseModel):
    tool_calls: Optional[List[Dict[str, Any]]] = Field(default=None, description="Tool calls of the model")


class ImagesMixin(BaseModel):
    images: Optional[List[File]] = Field(default=None, description="Images of the model")


class LLMOutput(LLMUsageMixin, BaseLLMOutput):
    pass
