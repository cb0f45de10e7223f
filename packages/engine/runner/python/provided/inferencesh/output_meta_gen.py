"""Values of the metadata of an output."""

from __future__ import annotations

from enum import Enum


class MetaItemType(str, Enum):
    TEXT = "text"
    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"
    RAW = "raw"


class VideoResolution(str, Enum):
    VIDEO_RES480_P = "480p"
    VIDEO_RES720_P = "720p"
    VIDEO_RES1080_P = "1080p"
    VIDEO_RES1440_P = "1440p"
    VIDEO_RES4_K = "4k"
