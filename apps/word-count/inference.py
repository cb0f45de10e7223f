"""Word count: a Python app without dependencies. Its schemas are plain JSON Schema dictionaries."""

import collections
import re


class Input:
    json_schema = {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "The text to count"},
            "file": {"type": "string", "format": "file", "description": "A text file to count instead"},
            "top": {"type": "integer", "minimum": 0, "maximum": 100, "default": 5},
        },
    }

    def __init__(self, text=None, file=None, top=5):
        self.text = text
        self.file = file
        self.top = top


class Output:
    json_schema = {
        "type": "object",
        "properties": {
            "words": {"type": "integer"},
            "lines": {"type": "integer"},
            "characters": {"type": "integer"},
            "most_frequent": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"word": {"type": "string"}, "count": {"type": "integer"}},
                },
            },
        },
        "required": ["words", "lines", "characters", "most_frequent"],
    }


class App:
    async def run(self, input: Input) -> Output:
        """Counts a text or a text file."""
        if input.text is None and input.file is None:
            raise ValueError("give a text or a file")
        text = input.text
        if text is None:
            with open(input.file.path, encoding="utf-8", errors="replace") as handle:
                text = handle.read()
        words = re.findall(r"\w+(?:['’-]\w+)*", text)
        frequent = collections.Counter(word.lower() for word in words).most_common(input.top)
        return {
            "words": len(words),
            "lines": len(text.splitlines()),
            "characters": len(text),
            "most_frequent": [{"word": word, "count": count} for word, count in frequent],
        }
