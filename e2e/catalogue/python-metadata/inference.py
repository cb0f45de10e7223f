import logging

from inferencesh import BaseApp, BaseAppInput, BaseAppOutput


class AppInput(BaseAppInput):
    pass


class AppOutput(BaseAppOutput):
    same_app: bool
    unknown: bool
    by_key: bool


class App(BaseApp):
    async def setup(self, metadata):
        logging.basicConfig(level=logging.INFO)
        self.app_id = metadata.app_id

    async def run(self, input_data: AppInput, metadata) -> AppOutput:
        return AppOutput(
            same_app=metadata.app_id == self.app_id and self.app_id != "",
            unknown=metadata.nothing_of_this_name is None,
            by_key=metadata["task_id"] == metadata.task_id,
        )
