"""JSON Schemas of the classes and dictionaries that describe a function's input and output."""

from __future__ import annotations

import inspect
from typing import Any, Dict, Optional

Schema = Dict[str, Any]


def schema_of(source: Any) -> Optional[Schema]:
    if isinstance(source, dict):
        return source
    if not inspect.isclass(source):
        return None
    if hasattr(source, "model_json_schema"):
        return mark_files(source.model_json_schema())
    own = getattr(source, "json_schema", None)
    return own if isinstance(own, dict) else None


def mark_files(schema: Schema) -> Schema:
    """A model named File is always a file field; its own schema is ignored."""
    definitions = schema.get("$defs", {})
    if "File" in definitions:
        definitions["File"] = {"type": "string", "format": "file"}
    return schema


def live_fields(schema: Optional[Schema]) -> list[str]:
    fields = (schema or {}).get("properties", {})
    return [name for name, field in fields.items() if isinstance(field, dict) and field.get("format") == "stream"]


def without_required_live_fields(schema: Optional[Schema]) -> Optional[Schema]:
    """Values of live fields travel over the socket, so no request and no output can be required to have them."""
    live = live_fields(schema)
    if schema is None or not live or not schema.get("required"):
        return schema
    required = [name for name in schema["required"] if name not in live]
    others = {key: value for key, value in schema.items() if key != "required"}
    return {**others, "required": required} if required else others
