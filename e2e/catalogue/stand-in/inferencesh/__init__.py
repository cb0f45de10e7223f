"""A replacement for the package that catalogue apps import, so that the tests need no package index.

Only what those apps use, in the forms that matter to a runner: File is a plain class that pydantic knows how to handle,
a path given as an address is a path, and the base classes are pydantic models.
"""

import os
from typing import Any, List, Optional

from pydantic import BaseModel, ConfigDict
from pydantic_core import core_schema


class File:
    def __init__(self, given=None, *, uri=None, path=None, content_type=None, size=None, filename=None):
        if isinstance(given, str):
            uri = given
        self.uri = uri
        local = path or (uri if uri and "://" not in uri else None)
        self._path = os.path.abspath(local) if local else None
        self.content_type = content_type
        self.size = size
        self.filename = filename or (os.path.basename(self._path) if self._path else None)

    @property
    def path(self):
        return self._path

    @classmethod
    def from_path(cls, path):
        return cls(uri=str(path))

    def exists(self):
        return self._path is not None and os.path.exists(self._path)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source, _handler):
        schema = {"type": "string", "format": "file"}
        return core_schema.no_info_plain_validator_function(
            cls._accept, metadata={"pydantic_js_functions": [lambda _core, _handler: dict(schema)]}
        )

    @classmethod
    def _accept(cls, value):
        if isinstance(value, dict):
            return cls(**value)
        return value if isinstance(value, cls) or value is None else cls(value)


class ImageMeta(BaseModel):
    type: str = "image"
    width: int
    height: int
    count: int = 1


class OutputMeta(BaseModel):
    outputs: List[ImageMeta] = []


class BaseAppSetup(BaseModel):
    pass


class BaseAppInput(BaseModel):
    pass


class BaseAppOutput(BaseModel):
    output_meta: Optional[OutputMeta] = None


class BaseApp(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True, extra="allow")

    async def setup(self) -> Any:
        pass

    async def run(self, app_input: BaseAppInput) -> BaseAppOutput:
        raise NotImplementedError

    async def unload(self) -> Any:
        pass
