import os
import tempfile

KeepOutput = {"type": "object", "properties": {"kept": {"type": "string", "format": "file"}}}


class App:
    def run(self, input):
        path = os.path.join(tempfile.gettempdir(), "scene.obj")
        with open(path, "w", encoding="utf-8") as file:
            file.write("v 0 0 0\n")
        return {"scene": path, "size": {"path": path, "bytes": 8}}

    def keep(self, input):
        with open("kept.txt", "w", encoding="utf-8") as file:
            file.write("kept")
        return {"kept": "kept.txt"}

    def leak(self, input):
        return {"code": os.path.abspath(__file__)}
