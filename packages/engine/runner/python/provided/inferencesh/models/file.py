"""A file with a local path, a URL, or both. The content of a URL is downloaded when the File is created."""

from __future__ import annotations

import hashlib
import mimetypes
import os
import shutil
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Dict, Optional, Union

from pydantic_core import core_schema

FETCH_TIMEOUT_SECONDS = 120


class File:
    uri: Optional[str]
    path: Optional[str]
    content_type: Optional[str]
    size: Optional[int]
    filename: Optional[str]

    def __init__(
        self,
        initializer: Union[str, Dict[str, Any], "File", None] = None,
        *,
        uri: Optional[str] = None,
        path: Optional[str] = None,
        content_type: Optional[str] = None,
        size: Optional[int] = None,
        filename: Optional[str] = None,
    ) -> None:
        first = members_of(initializer)
        self.uri = first.get("uri") or uri
        self.content_type = content_type or first.get("content_type")
        self.size = size or first.get("size")
        self.filename = filename or first.get("filename")
        local = first.get("path") or path
        if not self.uri and not local:
            raise ValueError("a File needs a path or a uri")
        self.path = os.path.abspath(local) if local else self._fetch(str(self.uri))
        if self.exists():
            self._describe()

    @classmethod
    def from_path(cls, path: Union[str, "os.PathLike[str]"]) -> "File":
        return cls(uri=os.fspath(path))

    @classmethod
    def get_cache_dir(cls) -> Path:
        folder = Path(os.environ.get("FILE_CACHE_DIR") or Path.home() / ".cache" / "inferencesh" / "files")
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def exists(self) -> bool:
        return self.path is not None and os.path.exists(self.path)

    def is_local(self) -> bool:
        return self.exists()

    def is_resolved(self) -> bool:
        return self.path is not None

    def refresh_metadata(self) -> None:
        """Reads type, size and name from the file again, for example after the app has written it."""
        if self.exists():
            self.content_type = self.size = self.filename = None
            self._describe()

    def to_dict(self) -> Dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}

    def _describe(self) -> None:
        path = str(self.path)
        self.content_type = self.content_type or mimetypes.guess_type(path)[0]
        self.size = self.size or os.path.getsize(path)
        self.filename = self.filename or os.path.basename(path)

    def _fetch(self, uri: str) -> str:
        address = urllib.parse.urlsplit(uri)
        if address.scheme not in ("http", "https", "data"):
            return os.path.abspath(uri)
        folder = self.get_cache_dir() / hashlib.sha256(uri.encode()).hexdigest()[:24]
        folder.mkdir(exist_ok=True)
        fetched = next((entry for entry in folder.iterdir() if not entry.name.endswith(".part")), None)
        if fetched is None:
            fetched = folder / file_name(uri, address)
            fetch_into(uri, fetched)
        if address.scheme == "data" and not self.content_type:
            self.content_type = media_type(uri)
        return str(fetched)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls._validate, serialization=core_schema.plain_serializer_function_ser_schema(cls.to_dict)
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, _schema: Any, _handler: Any) -> Dict[str, Any]:
        return {"type": "string", "format": "file"}

    @classmethod
    def _validate(cls, value: Any) -> Optional["File"]:
        # Forms send an empty value for a file that was not chosen.
        if value is None or value == "" or value == {}:
            return None
        return value if isinstance(value, cls) else cls(value)


def members_of(initializer: Any) -> Dict[str, Any]:
    if initializer is None:
        return {}
    if isinstance(initializer, str):
        return {"uri": initializer}
    if isinstance(initializer, File):
        return initializer.to_dict()
    if isinstance(initializer, dict):
        return initializer
    raise ValueError(f"a File cannot be made from a {type(initializer).__name__}")


def media_type(uri: str) -> str:
    return uri[len("data:") :].split(",")[0].split(";")[0] or "text/plain"


def file_name(uri: str, address: urllib.parse.SplitResult) -> str:
    if address.scheme == "data":
        return "file" + (mimetypes.guess_extension(media_type(uri)) or "")
    return os.path.basename(address.path) or "download"


def fetch_into(uri: str, target: Path) -> None:
    """Writes to a temporary name first, so that an interrupted transfer leaves no partial file."""
    request = urllib.request.Request(uri, headers={} if uri.startswith("data:") else {"User-Agent": "inferencesh"})
    handle, part = tempfile.mkstemp(dir=target.parent, suffix=".part")
    try:
        with urllib.request.urlopen(request, timeout=FETCH_TIMEOUT_SECONDS) as answer, os.fdopen(handle, "wb") as file:
            shutil.copyfileobj(answer, file)
        os.replace(part, target)
    except Exception as error:
        os.unlink(part)
        raise RuntimeError(f"{uri[:200]} could not be downloaded: {error}") from error
