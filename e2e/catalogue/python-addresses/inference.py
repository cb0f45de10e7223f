from inferencesh import BaseApp, BaseAppInput, BaseAppOutput, File


class AppInput(BaseAppInput):
    address: str


class AppOutput(BaseAppOutput):
    video: File


class Kept:
    """A file of somebody else's package: named File, knows its address, is not resolved."""


class App(BaseApp):
    async def run(self, input_data: AppInput) -> AppOutput:
        kept = type("File", (Kept,), {})()
        kept.uri = input_data.address
        kept.path = None
        return {"video": kept, "clips": [kept]}
