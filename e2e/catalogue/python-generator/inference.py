from typing import AsyncGenerator

from inferencesh import BaseApp, BaseAppInput, BaseAppOutput


class AppInput(BaseAppInput):
    to: int = 3


class AppOutput(BaseAppOutput):
    step: int


class App(BaseApp):
    async def run(self, input_data: AppInput) -> AsyncGenerator[AppOutput, None]:
        for step in range(1, input_data.to + 1):
            yield AppOutput(step=step)
