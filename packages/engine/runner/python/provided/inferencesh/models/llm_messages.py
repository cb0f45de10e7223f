"""Messages and tools of a language model's input in the form of OpenAI's chat completions."""

from __future__ import annotations

import base64
import copy
import itertools
import json
import mimetypes
from typing import Any, Callable, Dict, List, Optional, Union

Part = Dict[str, Any]


def build_openai_messages(
    input_data: Any,
    transform_user_message: Optional[Callable[[str], str]] = None,
    include_reasoning: bool = False,
    file_mode: str = "base64",
    image_mode: str = "base64",
) -> List[Part]:
    """With the mode `url`, a file with a URL is sent as the URL, otherwise as its content."""
    turns = [turn_of(message, transform_user_message) for message in [*input_data.context, input_data]]
    messages: List[Part] = []
    if getattr(input_data, "system_prompt", None):
        messages.append({"role": "system", "content": input_data.system_prompt})
    # Several messages of one author in a row are one message; answers of tools belong to one call each.
    for _, group in itertools.groupby(enumerate(turns), lambda item: (item[1]["role"], item[1]["tool_call_id"])):
        messages.append(merged([turn for _, turn in group], include_reasoning, file_mode, image_mode))
    return messages


build_messages = build_openai_messages


def turn_of(message: Any, transform: Optional[Callable[[str], str]]) -> Dict[str, Any]:
    role = getattr(message, "role", "user")
    role = getattr(role, "value", role)
    text = getattr(message, "text", "") or ""
    names = ("images", "files", "reasoning", "tool_calls", "tool_call_id")
    return {
        "role": role,
        "text": transform(text) if transform and role == "user" else text,
        **{name: getattr(message, name, None) for name in names},
    }


def merged(turns: List[Dict[str, Any]], include_reasoning: bool, file_mode: str, image_mode: str) -> Part:
    role = turns[0]["role"]
    content: List[Part] = [image_part(file, image_mode) for turn in turns for file in turn["images"] or []]
    content += [file_part(file, file_mode) for turn in turns for file in turn["files"] or []]
    text = "\n\n".join(turn["text"] for turn in turns if turn["text"])
    message: Part = {"role": role, "content": [{"type": "text", "text": text}, *content] if content else text}
    calls = [with_text_arguments(call) for turn in turns for call in turn["tool_calls"] or []]
    if calls:
        message["tool_calls"] = calls
    if role == "tool":
        message["tool_call_id"] = turns[0]["tool_call_id"] or ""
    reasoning = "\n\n".join(turn["reasoning"] for turn in turns if turn["reasoning"])
    if include_reasoning and reasoning:
        message["reasoning"] = reasoning
    return message


def with_text_arguments(call: Dict[str, Any]) -> Dict[str, Any]:
    call = copy.deepcopy(call)
    function = call.get("function") or {}
    if isinstance(function.get("arguments"), dict):
        function["arguments"] = json.dumps(function["arguments"])
    return call


def image_part(file: Any, mode: str) -> Part:
    return {"type": "image_url", "image_url": {"url": address_of(file, mode, "image/png")}}


def file_part(file: Any, mode: str) -> Part:
    data = address_of(file, mode, "application/octet-stream")
    return {"type": "file", "file": {"filename": file.filename or "file", "file_data": data}}


def address_of(file: Any, mode: str, fallback_type: str) -> str:
    address: str = file.uri or ""
    if not file.path or (mode == "url" and address.startswith(("http://", "https://"))):
        return address
    return data_uri(file.path, fallback_type)


def data_uri(path: str, fallback_type: str) -> str:
    with open(path, "rb") as opened:
        content = base64.b64encode(opened.read()).decode()
    return f"data:{mimetypes.guess_type(path)[0] or fallback_type};base64,{content}"


def image_to_base64_data_uri(file_path: str) -> str:
    return data_uri(file_path, "image/png")


def file_to_base64_data_uri(file_path: str) -> str:
    return data_uri(file_path, "application/octet-stream")


def build_tools(tools: Optional[List[Dict[str, Any]]]) -> Union[List[Part], None]:
    """Tools with their parameters as an object schema, which the API requires."""
    return [{"type": "function", "function": function_of(tool)} for tool in tools] if tools else None


def function_of(tool: Dict[str, Any]) -> Dict[str, Any]:
    function = copy.deepcopy(tool["function"] if "function" in tool else tool)
    parameters = function.get("parameters") or {"type": "object"}
    properties = parameters.get("properties") or {}
    parameters["properties"] = {name: schema for name, schema in properties.items() if schema is not None}
    function["parameters"] = parameters
    return function
