"""Folders of an app and downloads into them."""

from __future__ import annotations

import hashlib
import os
import shutil
from enum import Enum
from pathlib import Path
from typing import Union

from ..models.file import File

__all__ = ["StorageDir", "download"]


class StorageDir(str, Enum):
    """The folders that the engine gives to this app."""

    DATA = os.environ.get("MILLRACE_DATA_DIR", "/app/data")
    TEMP = os.environ.get("MILLRACE_TMP_DIR", "/app/tmp")
    CACHE = os.environ.get("MILLRACE_CACHE_DIR", "/app/cache")

    @property
    def path(self) -> Path:
        folder = Path(self.value)
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def download(url: str, directory: Union[str, Path, StorageDir]) -> str:
    """Returns the local path. A file that is already in the folder is not downloaded again, except in TEMP."""
    folder = Path(directory.value if isinstance(directory, StorageDir) else directory)
    own = folder / hashlib.sha256(url.encode()).hexdigest()[:24]
    existing = next(own.iterdir(), None) if own.exists() else None
    if existing is not None and directory != StorageDir.TEMP:
        return str(existing)
    own.mkdir(parents=True, exist_ok=True)
    fetched = File(url).path or url
    return shutil.copy2(fetched, own / os.path.basename(fetched))
