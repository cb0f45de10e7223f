"""The consumption and results of a run, in the units from which prices are calculated."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Union

from pydantic import BaseModel, Field

from ..output_meta_gen import MetaItemType, VideoResolution

__all__ = [
    "AudioMeta",
    "ImageMeta",
    "MetaItem",
    "MetaItemType",
    "OutputMeta",
    "RawMeta",
    "TextMeta",
    "VideoMeta",
    "VideoResolution",
]


class MetaItem(BaseModel):
    type: str
    extra: Optional[Dict[str, Any]] = Field(default=None, description="Further members for the app's own prices")


class TextMeta(MetaItem):
    type: str = MetaItemType.TEXT.value
    tokens: int = Field(default=0, description="Tokens")


class ImageMeta(MetaItem):
    type: str = MetaItemType.IMAGE.value
    width: int = Field(default=0, description="Pixels")
    height: int = Field(default=0, description="Pixels")
    resolution_mp: float = Field(default=0, description="Megapixels")
    steps: int = Field(default=0, description="Steps of diffusion")
    count: int = Field(default=1, description="Images")


class VideoMeta(MetaItem):
    type: str = MetaItemType.VIDEO.value
    width: int = Field(default=0, description="Pixels")
    height: int = Field(default=0, description="Pixels")
    resolution_mp: float = Field(default=0, description="Megapixels of a frame")
    resolution: Optional[str] = Field(default=None, description="480p, 720p, 1080p, 1440p or 4k")
    seconds: float = Field(default=0, description="Duration")
    fps: int = Field(default=0, description="Frames per second")


class AudioMeta(MetaItem):
    type: str = MetaItemType.AUDIO.value
    seconds: float = Field(default=0, description="Duration")
    sample_rate: int = Field(default=0, description="Hertz")


class RawMeta(MetaItem):
    type: str = MetaItemType.RAW.value
    cost: float = Field(default=0, description="US cents")


AnyMeta = Union[TextMeta, ImageMeta, VideoMeta, AudioMeta, RawMeta]


class OutputMeta(BaseModel):
    inputs: List[AnyMeta] = Field(default_factory=list, description="Consumed by the run")
    outputs: List[AnyMeta] = Field(default_factory=list, description="Produced by the run")
