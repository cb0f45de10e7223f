"""Values between the app and the wire: files, models, and the small module `millrace` offered to apps.

A File that lies outside the app's own folders is copied into them: the engine uploads only from there, and the copy
is made with the app's own rights.
"""

import datetime
import decimal
import enum
import os
import shutil
import sys
import types
import uuid

FILE_FIELDS = ("path", "uri", "content_type", "size", "filename")


class File(dict):
    """A file as the app sees it. Also a dictionary, so that it serialises without help."""

    def __init__(self, path=None, uri=None, content_type=None, size=None, filename=None):
        given = {"path": path, "uri": uri, "content_type": content_type, "size": size, "filename": filename}
        super().__init__({key: value for key, value in given.items() if value is not None})

    def __getattr__(self, name):
        if name in FILE_FIELDS:
            return self.get(name)
        raise AttributeError(name)

    def exists(self):
        return bool(self.path) and os.path.exists(self.path)


class Metadata(dict):
    """What the run is for, by key and by attribute; what is not known is None."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name)


class Delta(dict):
    """A yielded Delta travels as a delta instead of replacing the output."""


def offer_module():
    module = types.ModuleType("millrace")
    module.File = File
    module.Delta = Delta
    sys.modules.setdefault("millrace", module)


class OutputRefused(Exception):
    """An output that must not leave as it is."""


def to_wire(value, schema=None):
    return plain(with_paths(schema, value))


def plain(value):
    """A value in the forms that JSON has; files described by their path or address."""
    if is_file(value):
        return describe_file(value)
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, str):
        return own_path(value)
    if isinstance(value, (int, float, bool)) or value is None:
        return value
    if hasattr(value, "model_dump"):
        members = {name: getattr(value, name) for name in type(value).model_fields}
        members.update(getattr(value, "model_extra", None) or {})
        return {name: plain(member) for name, member in members.items() if member is not None}
    if isinstance(value, dict):
        return described_file(value) or {key: plain(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, decimal.Decimal)):
        return str(value)
    if isinstance(value, os.PathLike):
        return own_path(os.fspath(value))
    if hasattr(value, "__dict__") and not callable(value):
        return {key: plain(member) for key, member in vars(value).items() if not key.startswith("_")}
    return value


def is_file(value):
    """Any class named File that knows a path or an address, whichever package brought it."""
    named = any(base.__name__ == "File" for base in type(value).__mro__)
    return named and (hasattr(value, "path") or hasattr(value, "uri"))


def describe_file(value):
    described = {name: getattr(value, name, None) for name in FILE_FIELDS}
    described = {name: member for name, member in described.items() if member is not None}
    path, uri = described.get("path"), described.get("uri")
    if path is None and uri is None:
        raise OutputRefused("the output holds a File without a path or uri")
    if path is None and not is_address(str(uri)):
        path = str(uri)
    if path is None:
        return described
    described.pop("uri", None)
    return {**described, "path": adopt(os.fspath(path))}


def described_file(value):
    """A dictionary that says nothing but where a file lies is the engine's to judge: it stays as it is."""
    if "path" in value and isinstance(value["path"], str) and all(key in FILE_FIELDS for key in value):
        return dict(value)
    return None


def is_address(text):
    return text == "" or text.startswith(("http://", "https://", "data:"))


def folders(*names):
    return [os.environ[f"MILLRACE_{name}_DIR"] for name in names if os.environ.get(f"MILLRACE_{name}_DIR")]


def within(places, path):
    return any(path.startswith(place + os.sep) for place in places)


def own_path(text):
    """No path of this machine leaves as a text: what the run wrote or was given is uploaded, other files are refused."""
    if not text.startswith(os.sep) or len(text) > 4096 or "\0" in text:
        return text
    path = os.path.abspath(text)
    of_this_run = folders("TMP", "FILES")
    kept = [*folders("DATA", "CACHE"), *sys.argv[1:2]]
    if not within([*of_this_run, *kept], path) or not os.path.isfile(path):
        return text
    if within(of_this_run, path):
        return {"path": adopt(path)}
    raise OutputRefused(
        f"the output names {os.path.basename(path)} in the app's own folder by its path; return a File to hand it over"
    )


def adopt(path):
    absolute = os.path.abspath(path)
    if within(folders("DATA", "TMP", "CACHE"), absolute):
        return absolute
    folder = os.path.join(os.environ.get("MILLRACE_TMP_DIR", "."), "outputs", uuid.uuid4().hex)
    os.makedirs(folder)
    return shutil.copy(absolute, folder)


def with_paths(schema, value):
    """Texts that stand where the schema wants a file are paths, unless they are addresses."""

    def take(text):
        return File(path=text) if isinstance(text, str) and not is_address(text) else text

    return visit_files(schema, value, take)


def with_files(schema, value):
    """Turns the file objects the engine put into file fields into File values."""

    def take(given):
        return File(**given) if isinstance(given, dict) and "path" in given else given

    return visit_files(schema, value, take)


def visit_files(schema, value, take, root=None):
    root = root or schema
    if not isinstance(schema, dict) or value is None:
        return value
    if schema.get("format") == "file":
        return take(value)
    for part in parts_of(schema, root):
        value = visit_files(part, value, take, root)
    if type(value) is list:
        return [visit_files(schema.get("items"), item, take, root) for item in value]
    if type(value) is dict:
        fields = schema.get("properties", {})
        return {key: visit_files(fields.get(key), member, take, root) for key, member in value.items()}
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
