"""Builds the value that a function receives: a model, an instance of a plain class, or the dictionary itself."""

from __future__ import annotations

import inspect
from typing import Any, Iterable, Mapping


class InputRejected(Exception):
    """An input that the app's own class does not accept."""


def build(source: Any, values: Any, what: str = "input", live: Iterable[str] = ()) -> Any:
    if not inspect.isclass(source) or not isinstance(values, dict):
        return values
    values = {**{name: [] for name in live if requires(source, name)}, **values}
    if hasattr(source, "model_validate"):
        return source.model_validate(values)
    check_fields(source, values, what)
    return source(**values)


def requires(source: type, name: str) -> bool:
    """Whether instances cannot be made without this field. A required live field is then passed as an empty list."""
    fields = getattr(source, "model_fields", None)
    if fields is not None:
        return name in fields and fields[name].is_required()
    try:
        field = inspect.signature(source).parameters.get(name)
    except ValueError:
        return False
    return field is not None and field.default is field.empty


def check_fields(source: type, values: Mapping[str, Any], what: str) -> None:
    """Python's own message is about keyword arguments, which mean nothing to callers of an app."""
    try:
        parameters = inspect.signature(source).parameters.values()
    except ValueError:
        return
    fields = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    accepts_any = any(p.kind == p.VAR_KEYWORD for p in parameters)
    names = [field.name for field in fields]
    unknown = [] if accepts_any else [name for name in values if name not in names]
    if unknown:
        known = f"its fields are {', '.join(names)}" if names else "it has no fields"
        raise InputRejected(f"the {what} has no field {', '.join(unknown)}; {known}")
    missing = [field.name for field in fields if field.default is field.empty and field.name not in values]
    if missing:
        raise InputRejected(f"the {what} has no value for {', '.join(missing)}")
