"""Folders of an app and downloads into them."""

from .download import download
from .storage import StorageDir

__all__ = ["StorageDir", "download"]
