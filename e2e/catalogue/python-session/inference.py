from inferencesh import BaseApp, BaseAppInput, BaseAppOutput


class AppInput(BaseAppInput):
    by: int = 1


class AppOutput(BaseAppOutput):
    total: int


class App(BaseApp):
    async def setup(self):
        self.total = 0

    async def run(self, input_data: AppInput) -> AppOutput:
        self.total += input_data.by
        return AppOutput(total=self.total)
