"""Base classes of an app, its setup values, its inputs and its outputs."""

from __future__ import annotations

import inspect
from typing import Any, Dict, Mapping, Optional, Union

from pydantic import BaseModel, ConfigDict, Field

from .file import File
from .output_meta import OutputMeta


class Metadata(BaseModel):
    """The app, version and worker of a run. Further members are attributes too."""

    model_config = ConfigDict(extra="allow")

    app_id: Optional[str] = None
    app_version_id: Optional[str] = None
    app_variant: Optional[str] = None
    worker_id: Optional[str] = None

    def update(self, other: Union[Mapping[str, Any], BaseModel]) -> None:
        members = other.model_dump() if isinstance(other, BaseModel) else other
        for name, value in members.items():
            setattr(self, name, value)


class OwnFieldsFirst(BaseModel):
    """Forms show the fields of a class in the order of its code, and inherited fields after them."""

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> Dict[str, Any]:
        schema = super().model_json_schema(*args, **kwargs)
        own = list(inspect.get_annotations(cls))

        def place(name: str) -> int:
            return own.index(name) if name in own else len(own)

        if "properties" in schema:
            schema["properties"] = dict(sorted(schema["properties"].items(), key=lambda item: place(item[0])))
        if "required" in schema:
            schema["required"] = sorted(schema["required"], key=place)
        return schema


class BaseAppSetup(OwnFieldsFirst):
    pass


class BaseAppInput(OwnFieldsFirst):
    pass


class BaseAppOutput(OwnFieldsFirst):
    output_meta: Optional[OutputMeta] = Field(default=None, description="Consumed and produced items, for prices")


class BaseApp(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True, extra="allow")

    async def setup(self) -> None:
        pass

    async def run(self, app_input: BaseAppInput) -> BaseAppOutput:
        raise NotImplementedError("the app has no function run")

    async def unload(self) -> None:
        pass


def media_field(kind: str, required: bool = False) -> Any:
    extra = {"contentMediaType": f"{kind}/*"}
    return Field(default=... if required else None, description=f"The {kind} to use", json_schema_extra=extra)


class OptionalImageFieldMixin(BaseModel):
    image: Optional[File] = media_field("image")


class RequiredImageFieldMixin(BaseModel):
    image: File = media_field("image", required=True)


class OptionalVideoFieldMixin(BaseModel):
    video: Optional[File] = media_field("video")


class RequiredVideoFieldMixin(BaseModel):
    video: File = media_field("video", required=True)


class OptionalAudioFieldMixin(BaseModel):
    audio: Optional[File] = media_field("audio")


class RequiredAudioFieldMixin(BaseModel):
    audio: File = media_field("audio", required=True)


class OptionalTextFieldMixin(BaseModel):
    text: Optional[str] = Field(default=None, description="The text to use")


class RequiredTextFieldMixin(BaseModel):
    text: str = Field(description="The text to use")


class OptionalFileFieldMixin(BaseModel):
    file: Optional[File] = Field(default=None, description="The file to use")


class RequiredFileFieldMixin(BaseModel):
    file: File = Field(description="The file to use")
