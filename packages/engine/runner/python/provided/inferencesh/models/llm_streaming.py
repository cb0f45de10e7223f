"""Streams the answers of a local model with the interface of llama.cpp, and splits them into response and reasoning."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Tuple

from .llm_timing import Timing, timing_context

__all__ = ["ResponseState", "ResponseTransformer", "StreamResponse", "stream_generate"]

TURN_MARKS = ("<|im_end|>", "<|im_start|>", "<start_of_turn>", "<end_of_turn>", "<eos>")
REASONING_START = "<think>"
REASONING_END = "</think>"
CHARACTERS_PER_TOKEN = 4


class ResponseState:
    def __init__(self) -> None:
        self.buffer = ""
        self.response = ""
        self.reasoning: Optional[str] = None
        self.function_calls: Any = None
        self.tool_calls: Optional[List[Dict[str, Any]]] = None
        self.current_tool_call: Any = None
        self.usage: Any = None
        kinds = ("reasoning", "function_call", "tool_call")
        self.state_changes = {f"{kind}_{end}": False for kind in kinds for end in ("started", "ended")}


class ResponseTransformer:
    """Turns the text so far into an output. Apps override methods for the marks of their model."""

    def __init__(self, output_cls: Any = None) -> None:
        self.state = ResponseState()
        self.output_cls = output_cls
        self.timing: Optional[Timing] = None

    def clean_text(self, text: Optional[str]) -> str:
        cleaned = text or ""
        for mark in TURN_MARKS:
            cleaned = cleaned.replace(mark, "")
        return self.additional_cleaning(cleaned)

    def additional_cleaning(self, text: str) -> str:
        return text

    def handle_reasoning(self, text: str) -> None:
        """Text before the first mark belongs to the response, so nothing of the answer is lost."""
        before, start, rest = self.state.buffer.partition(REASONING_START)
        if not start:
            self.state.response = before
            return
        reasoning, end, after = rest.partition(REASONING_END)
        self.state.reasoning = reasoning.strip()
        self.state.response = (before + after).strip()
        changes = self.state.state_changes
        if not changes["reasoning_started"]:
            changes["reasoning_started"] = True
            if self.timing:
                self.timing.start_reasoning()
        if end and not changes["reasoning_ended"]:
            changes["reasoning_ended"] = True
            if self.timing:
                self.timing.end_reasoning(len(self.state.reasoning) // CHARACTERS_PER_TOKEN)

    def handle_function_calls(self, text: str) -> None:
        """For models that write calls of functions as text."""

    def handle_tool_calls(self, text: str) -> None:
        """For models that write calls of tools as text."""

    def transform_chunk(self, chunk: Optional[str]) -> None:
        text = self.clean_text(chunk)
        self.state.buffer += text
        self.handle_reasoning(text)
        self.handle_function_calls(text)
        self.handle_tool_calls(text)

    def build_output(self) -> Tuple[str, Any, Dict[str, bool]]:
        state = self.state
        optional = {
            "usage": state.usage,
            "reasoning": state.reasoning and state.reasoning.strip(),
            "function_calls": state.function_calls,
            "tool_calls": state.tool_calls,
        }
        members = {name: value for name, value in optional.items() if value}
        return state.buffer, self._class()(response=state.response.strip(), **members), state.state_changes

    def _class(self) -> Any:
        if self.output_cls is not None:
            return self.output_cls
        from .llm import LLMOutput

        return LLMOutput

    def __call__(self, piece: Optional[str], buffer: str, usage: Any = None) -> Tuple[str, Any, Dict[str, bool]]:
        self.state.buffer = buffer
        if usage is not None:
            self.state.usage = usage
        self.transform_chunk(piece)
        return self.build_output()


class StreamResponse:
    """The latest text, and the tool calls, counts and finish reason of all chunks so far."""

    def __init__(self) -> None:
        self.content = ""
        self.tool_calls: Optional[List[Dict[str, Any]]] = None
        self.finish_reason: Optional[str] = None
        self.usage_stats: Dict[str, Any] = {
            "prompt_tokens": 0,
            "completion_tokens": 0,
            "total_tokens": 0,
            "stop_reason": "",
        }
        self.timing_stats: Dict[str, float] = {"tokens_per_second": 0.0}

    def update_from_chunk(self, chunk: Dict[str, Any], timing: Timing) -> None:
        counts = chunk.get("usage") or {}
        self.usage_stats.update({name: value for name, value in counts.items() if name in self.usage_stats})
        choice = (chunk.get("choices") or [{}])[0]
        part = choice.get("message") or choice.get("delta") or {}
        self.content = part.get("content") or ""
        self.finish_reason = choice.get("finish_reason") or self.finish_reason
        self.usage_stats["stop_reason"] = self.finish_reason or ""
        for call in part.get("tool_calls") or []:
            self._add_to_call(call)
        self.timing_stats.update(timing.stats)
        seconds = self.timing_stats["generation_time"]
        if seconds > 0:
            self.timing_stats["tokens_per_second"] = self.usage_stats["completion_tokens"] / seconds

    def _add_to_call(self, delta: Dict[str, Any]) -> None:
        """The first part of a call has its id. The following parts name it by index, or belong to the last call."""
        self.tool_calls = self.tool_calls or []
        id, index = delta.get("id"), delta.get("index")
        if id:
            call = next((call for call in self.tool_calls if call["id"] == id), None)
        elif index is not None and index < len(self.tool_calls):
            call = self.tool_calls[index]
        else:
            call = self.tool_calls[-1] if self.tool_calls else None
        if call is None:
            call = {"id": id or "", "type": delta.get("type", "function"), "function": {"name": "", "arguments": ""}}
            self.tool_calls.append(call)
        function = delta.get("function") or {}
        call["function"]["name"] = function.get("name") or call["function"]["name"]
        call["function"]["arguments"] += function.get("arguments") or ""

    def has_updates(self) -> bool:
        return bool(self.content or self.tool_calls or self.finish_reason or self.usage_stats["total_tokens"])

    def to_output(self, buffer: str, transformer: ResponseTransformer) -> Tuple[Any, str]:
        buffer, output, _ = transformer(self.content, buffer, self._usage())
        if self.tool_calls and hasattr(output, "tool_calls"):
            output.tool_calls = self.tool_calls
        return output, buffer

    def _usage(self) -> Any:
        from .llm import LLMUsage

        names = LLMUsage.model_fields
        known = {name: value for name, value in {**self.timing_stats, **self.usage_stats}.items() if name in names}
        return LLMUsage(**known) if any(self.usage_stats.values()) else None


def stream_generate(
    model: Any,
    messages: List[Dict[str, Any]],
    transformer: Optional[ResponseTransformer] = None,
    tools: Optional[List[Dict[str, Any]]] = None,
    tool_choice: Any = None,
    temperature: float = 0.7,
    top_p: float = 0.95,
    stop: Optional[List[str]] = None,
    verbose: bool = False,
    output_cls: Any = None,
    kwargs: Optional[Dict[str, Any]] = None,
) -> Iterator[Any]:
    """Yields an output for each chunk with new content; every output contains the whole answer so far."""
    transformer = transformer or ResponseTransformer()
    transformer.output_cls = output_cls or transformer.output_cls
    options = {"temperature": temperature, "top_p": top_p, "stop": stop, **(kwargs or {})}
    given = {name: value for name, value in (("tools", tools), ("tool_choice", tool_choice)) if value is not None}
    response, buffer = StreamResponse(), ""
    with timing_context() as timing:
        transformer.timing = timing
        for chunk in model.create_chat_completion(messages=messages, stream=True, **options, **given):
            if verbose:
                print(chunk)
            timing.mark_first_token()
            response.update_from_chunk(chunk, timing)
            if response.has_updates():
                output, buffer = response.to_output(buffer, transformer)
                yield output
            if response.finish_reason:
                return
