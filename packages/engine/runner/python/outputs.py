"""Values between the app and the wire: files, models, and the small module `millrace` offered to apps.

A File that lies outside the app's own folders is copied into them: the engine uploads only from there, and the copy
is made with the app's own rights.
"""

import os
import shutil
import sys
import types
import uuid


class File(dict):
    """A file as the app sees it. Also a dictionary, so that it serialises without help."""

    def __init__(self, path=None, uri=None, content_type=None, size=None, filename=None):
        given = {"path": path, "uri": uri, "content_type": content_type, "size": size, "filename": filename}
        super().__init__({key: value for key, value in given.items() if value is not None})

    def __getattr__(self, name):
        if name in ("path", "uri", "content_type", "size", "filename"):
            return self.get(name)
        raise AttributeError(name)


class Delta(dict):
    """A yielded Delta travels as a delta instead of replacing the output."""


def offer_module():
    module = types.ModuleType("millrace")
    module.File = File
    module.Delta = Delta
    sys.modules.setdefault("millrace", module)


def to_wire(value):
    if hasattr(value, "model_dump"):
        if type(value).__name__ == "File":
            return adopt_file(value.model_dump(mode="python", exclude_none=True))
        return to_wire({name: getattr(value, name) for name in type(value).model_fields if getattr(value, name) is not None})
    if isinstance(value, File):
        return adopt_file(dict(value))
    if isinstance(value, dict):
        return {key: to_wire(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_wire(member) for member in value]
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if hasattr(value, "__dict__") and not callable(value):
        return to_wire({key: member for key, member in vars(value).items() if not key.startswith("_")})
    return value


def adopt_file(described):
    path = described.get("path")
    if not path:
        return described
    absolute = os.path.abspath(path)
    own = [os.environ.get(f"MILLRACE_{name}_DIR") for name in ("DATA", "TMP", "CACHE")]
    if not any(folder and absolute.startswith(folder + os.sep) for folder in own):
        folder = os.path.join(os.environ.get("MILLRACE_TMP_DIR", "."), "outputs", uuid.uuid4().hex)
        os.makedirs(folder)
        absolute = shutil.copy(absolute, folder)
    return {**described, "path": absolute}


def with_files(schema, value, root=None):
    """Turns the file objects the engine put into file fields into File values."""
    root = root or schema
    if not isinstance(schema, dict) or value is None:
        return value
    if schema.get("format") == "file":
        return File(**value) if isinstance(value, dict) and "path" in value else value
    for part in parts_of(schema, root):
        value = with_files(part, value, root)
    if isinstance(value, list):
        return [with_files(schema.get("items"), item, root) for item in value]
    if isinstance(value, dict) and not isinstance(value, File):
        fields = schema.get("properties", {})
        return {key: with_files(fields.get(key), member, root) for key, member in value.items()}
    return value


def parts_of(schema, root):
    parts = [part for word in ("allOf", "anyOf", "oneOf") for part in schema.get(word, [])]
    reference = schema.get("$ref", "")
    if reference.startswith("#/"):
        at = root
        for step in reference[2:].split("/"):
            at = at.get(step, {}) if isinstance(at, dict) else {}
        parts.append(at)
    return parts
