"""Values between the app and the wire: files, models, and the small module `millrace` that apps can import.

Files in an output are adopted (own_files.py). A value without a JSON form is rejected with its path.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import math
import os
import sys
import types
import uuid
from typing import Any, Callable, Optional, Tuple, Union

from . import own_files
from .own_files import OutputRejected

# Keys and indexes that lead to a value of the output.
ValuePath = Tuple[Union[str, int], ...]

FILE_FIELDS = ("path", "uri", "content_type", "size", "filename")


class File(dict[str, Any]):
    """A file as the app sees it. Also a dictionary, so that json serializes it."""

    def __init__(
        self,
        path: Any = None,
        uri: Optional[str] = None,
        content_type: Optional[str] = None,
        size: Optional[int] = None,
        filename: Optional[str] = None,
    ) -> None:
        given = {"path": path, "uri": uri, "content_type": content_type, "size": size, "filename": filename}
        super().__init__({key: value for key, value in given.items() if value is not None})

    def __getattr__(self, name: str) -> Any:
        if name in FILE_FIELDS:
            return self.get(name)
        raise AttributeError(name)

    def exists(self) -> bool:
        return bool(self.path) and os.path.exists(self.path)


class Metadata(dict[str, Any]):
    """Metadata of the run, as keys and as attributes; a missing attribute is None."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name)


class Delta(dict[str, Any]):
    """A yielded Delta is sent as a delta instead of replacing the output."""


def install_module() -> None:
    module = types.ModuleType("millrace")
    vars(module).update(File=File, Delta=Delta)
    sys.modules.setdefault("millrace", module)


def to_wire(value: Any, schema: Any = None) -> Any:
    return plain(with_paths(schema, value))


def plain(value: Any, path: ValuePath = ()) -> Any:
    """Converts a value to JSON types; files become descriptions with a path or URL."""
    if is_file(value):
        return describe_file(value, name_of(path))
    if isinstance(value, enum.Enum):
        return plain(value.value, path)
    if isinstance(value, str):
        return file_named(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise OutputRejected(f"the output is not valid JSON: {name_of(path)} is {value}")
    if isinstance(value, (int, float, bool)) or value is None:
        return value
    if hasattr(value, "model_dump"):
        members = {name: getattr(value, name) for name in type(value).model_fields}
        members.update(getattr(value, "model_extra", None) or {})
        return {name: plain(member, (*path, name)) for name, member in members.items() if member is not None}
    if isinstance(value, dict):
        return described_file(value) or {key: plain(member, (*path, key)) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member, (*path, index)) for index, member in enumerate(value)]
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, decimal.Decimal)):
        return str(value)
    if isinstance(value, os.PathLike):
        return file_named(os.fsdecode(value))
    if hasattr(value, "__dict__") and not callable(value):
        return {key: plain(member, (*path, key)) for key, member in vars(value).items() if not key.startswith("_")}
    raise OutputRejected(f"the output is not valid JSON: {name_of(path)} is of type {type(value).__name__}")


def name_of(path: ValuePath) -> str:
    return ".".join(str(step) for step in path) or "the output"


def is_file(value: Any) -> bool:
    """Recognizes an instance of any class named File with a path or a uri."""
    named = any(base.__name__ == "File" for base in type(value).__mro__)
    return named and (hasattr(value, "path") or hasattr(value, "uri"))


def describe_file(value: Any, name: str) -> dict[str, Any]:
    described = {name: getattr(value, name, None) for name in FILE_FIELDS}
    described = {name: member for name, member in described.items() if member is not None}
    path, uri = described.pop("path", None), described.pop("uri", None)
    if path is None and uri is None:
        raise OutputRejected(f"{name} is a File without a path or uri")
    if path is None and not is_address(str(uri)):
        path = str(uri)
    if path is None or (own_files.is_input_file(os.fspath(path)) and is_url(uri)):
        return {**described, "uri": uri}
    return {**described, "path": own_files.given(os.fspath(path))}


def described_file(value: dict[str, Any]) -> Optional[dict[str, Any]]:
    """Recognizes a dictionary that has only the fields of a file."""
    if not isinstance(value.get("path"), str) or not all(key in FILE_FIELDS for key in value):
        return None
    described = {key: member for key, member in value.items() if key not in ("path", "uri")}
    if own_files.is_input_file(value["path"]) and is_url(value.get("uri")):
        return {**described, "uri": value["uri"]}
    path = own_files.described(value["path"])
    return None if path is None else {**described, "path": path}


def file_named(text: str) -> Any:
    path = own_files.named(text)
    return text if path is None else {"path": path}


def is_address(text: str) -> bool:
    return text == "" or is_url(text)


def is_url(text: Any) -> bool:
    return isinstance(text, str) and text.startswith(("http://", "https://", "data:"))


def with_paths(schema: Any, value: Any) -> Any:
    """Strings where the schema expects a file are paths, unless they are URLs."""

    def take(text: Any) -> Any:
        return File(path=text) if isinstance(text, str) and not is_address(text) else text

    return visit_files(schema, value, take)


def with_files(schema: Any, value: Any) -> Any:
    """Converts the file objects that the engine put into file fields to File values."""

    def take(given: Any) -> Any:
        return File(**given) if isinstance(given, dict) and "path" in given else given

    return visit_files(schema, value, take)


def visit_files(schema: Any, value: Any, take: Callable[[Any], Any], root: Any = None) -> Any:
    root = root or schema
    if not isinstance(schema, dict) or value is None:
        return value
    if schema.get("format") == "file":
        return take(value)
    for part in parts_of(schema, root):
        value = visit_files(part, value, take, root)
    if type(value) is list:
        return [visit_files(schema.get("items"), item, take, root) for item in value]
    if type(value) is dict:
        fields = schema.get("properties", {})
        return {key: visit_files(fields.get(key), member, take, root) for key, member in value.items()}
    return value


def parts_of(schema: dict[str, Any], root: Any) -> list[Any]:
    parts = [part for word in ("allOf", "anyOf", "oneOf") for part in schema.get(word, [])]
    reference = schema.get("$ref", "")
    if reference.startswith("#/"):
        at = root
        for step in reference[2:].split("/"):
            at = at.get(step, {}) if isinstance(at, dict) else {}
        parts.append(at)
    return parts
