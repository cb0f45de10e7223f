"""Downloads into a folder of the app."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import Union

from ..models.file import File
from .storage import StorageDir


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
