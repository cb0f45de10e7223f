"""Folders that the engine gives to this app."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path


class StorageDir(str, Enum):
    DATA = os.environ.get("MILLRACE_DATA_DIR", "/app/data")
    TEMP = os.environ.get("MILLRACE_TMP_DIR", "/app/tmp")
    CACHE = os.environ.get("MILLRACE_CACHE_DIR", "/app/cache")

    @property
    def path(self) -> Path:
        folder = Path(self.value)
        folder.mkdir(parents=True, exist_ok=True)
        return folder
