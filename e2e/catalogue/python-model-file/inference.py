from typing import Optional

from pydantic import BaseModel


class File(BaseModel):
    """The older form: a model of its own."""

    path: Optional[str] = None
    uri: Optional[str] = None
    content_type: Optional[str] = None


class AppInput(BaseModel):
    text: str


class AppOutput(BaseModel):
    image: File


class App:
    async def run(self, input_data: AppInput) -> AppOutput:
        with open("/tmp/catalogue-model-file.svg", "w", encoding="utf-8") as file:
            file.write(f"<svg>{input_data.text}</svg>")
        return AppOutput(image=File(path="/tmp/catalogue-model-file.svg", content_type="image/svg+xml"))
