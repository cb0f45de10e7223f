from inferencesh import BaseApp, BaseAppInput, BaseAppOutput, BaseAppSetup


class AppSetup(BaseAppSetup):
    voice: str = "ara"


class AppInput(BaseAppInput):
    text: str


class AppOutput(BaseAppOutput):
    said: str


class App(BaseApp):
    async def setup(self, config: AppSetup, metadata):
        self.voice = config.voice

    async def run(self, input_data: AppInput) -> AppOutput:
        return AppOutput(said=f"{self.voice}: {input_data.text}")
