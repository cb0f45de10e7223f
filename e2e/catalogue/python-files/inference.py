import os
from typing import List, Optional

from inferencesh import BaseApp, BaseAppInput, BaseAppOutput, File
from pydantic import Field


class AppInput(BaseAppInput):
    document: File = Field(description="A text")
    other: Optional[File] = Field(default=None)


class AppOutput(BaseAppOutput):
    document: File
    pages: List[File]
    name: str


class App(BaseApp):
    async def run(self, input_data: AppInput, metadata) -> AppOutput:
        if not input_data.document.exists():
            raise RuntimeError(f"The document does not exist: {input_data.document.path}")
        with open(input_data.document.path, encoding="utf-8") as file:
            text = file.read()
        path = f"/tmp/catalogue-{metadata.task_id}.txt"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.upper())
        return AppOutput(
            document=File(path=path),
            pages=[File.from_path(path)],
            name=os.path.basename(input_data.document.path),
        )
