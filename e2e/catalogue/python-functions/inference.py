import enum
from datetime import date

GetAllInput = {"type": "object", "properties": {"limit": {"type": "integer", "default": 2}}}
GetAllOutput = {"type": "object", "properties": {"items": {"type": "array", "items": {"type": "string"}}}}


class Kind(enum.Enum):
    TREE = "tree"


class App:
    def get_all(self, input):
        """Everything there is, up to a limit."""
        return {"items": ["oak", "elm", "ash"][: input.get("limit", 2)]}

    def describe(self, input):
        return {"kind": Kind.TREE, "planted": date(2020, 2, 29)}
