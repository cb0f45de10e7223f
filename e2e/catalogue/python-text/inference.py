from typing import Literal, Optional

from inferencesh import BaseApp, BaseAppInput, BaseAppOutput, ImageMeta, OutputMeta
from pydantic import Field


class AppInput(BaseAppInput):
    prompt: str = Field(description="The text to say", min_length=1)
    style: Literal["plain", "loud"] = Field(default="plain")
    seed: Optional[int] = Field(default=None, ge=0)


class AppOutput(BaseAppOutput):
    text: str = Field(description="The spoken text")


class App(BaseApp):
    async def run(self, input_data: AppInput, metadata) -> AppOutput:
        text = input_data.prompt.upper() if input_data.style == "loud" else input_data.prompt
        return AppOutput(text=text, output_meta=OutputMeta(outputs=[ImageMeta(width=8, height=8, count=1)]))
