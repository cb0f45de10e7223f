"""Loads the App class of a bundle and describes its functions.

Input and output of a function are pydantic models or plain classes with a `json_schema` dictionary (both from
annotations), or JSON Schema dictionaries named after the function (`RunInput`, `RunOutput`) in the module.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import sys
import typing
from types import ModuleType
from typing import Any, Callable

from . import runs
from .inputs import build
from .schemas import live_fields, schema_of, without_required_live_fields

Schema = typing.Dict[str, Any]

NOT_FUNCTIONS = {"setup", "unload", "on_cancel"}
# Installed packages with the same name are found first.
PROVIDED_PACKAGES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "provided")


class LoadedFunction:
    def __init__(self, name: str, method: Callable[..., Any], input_type: Any, schemas: Schema, parameters: list[str]):
        self.name = name
        self.method = method
        self.input_type = input_type
        self.input_schema = schemas["input_schema"]
        self.output_schema = schemas["output_schema"]
        self.schema = {"name": name, **schemas, "file_inputs": "engine"}
        self.takes_input = len(parameters) > 0
        self.extra = parameters[1:]

    def build_input(self, values: Any) -> Any:
        return build(self.input_type, values, live=live_fields(self.input_schema))


class LoadedApp:
    def __init__(self, instance: Any, functions: dict[str, LoadedFunction], setup_type: Any):
        self.instance = instance
        self.functions = functions
        self.setup_type = setup_type
        self.schema = {
            "setup_schema": schema_of(setup_type),
            "functions": {name: function.schema for name, function in functions.items()},
        }

    async def set_up(self, values: Any, metadata: Any) -> None:
        handler = getattr(self.instance, "setup", None)
        if handler is None:
            return
        parameters = list(inspect.signature(handler).parameters)
        arguments = setup_arguments(parameters, build(self.setup_type, values, "setup"), metadata)
        await runs.call(handler, *arguments)


def setup_arguments(parameters: list[str], values: Any, metadata: Any) -> list[Any]:
    """`setup` receives the setup values, the metadata, or both. A first parameter named metadata receives the latter."""
    if parameters[:1] == ["metadata"]:
        return [metadata]
    return [values, metadata][: len(parameters)]


def load(bundle: str) -> LoadedApp:
    if not os.path.exists(os.path.join(bundle, "inference.py")):
        raise RuntimeError("the bundle has no inference.py")
    sys.path.insert(0, bundle)
    sys.path.append(PROVIDED_PACKAGES)
    module = import_entry()
    app_class = getattr(module, "App", None)
    if not inspect.isclass(app_class):
        raise RuntimeError("inference.py has no class named App")
    instance = app_class()
    declared = declared_schemas(bundle)
    functions = {}
    for name, method in inspect.getmembers(instance, inspect.ismethod):
        if name.startswith("_") or name in NOT_FUNCTIONS or not defined_by_app(app_class, name):
            continue
        functions[name] = describe(module, name, method, declared.get(name) or {})
    return LoadedApp(instance, functions, getattr(module, "AppSetup", None))


def import_entry() -> ModuleType:
    """Imports inference.py inside the package of the bundle, so that relative imports work.

    The plain name `inference` means the same module: siblings that import it must not run it a second time.
    """
    package = importlib.import_module("millrace_app")
    name = f"{package.__name__}.inference"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise RuntimeError("inference.py cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = sys.modules["inference"] = module
    spec.loader.exec_module(module)
    return module


def defined_by_app(app_class: type, name: str) -> bool:
    """Methods inherited from a framework's base class are not functions of the app."""
    for base in app_class.__mro__:
        if name in vars(base):
            return base.__module__.split(".")[0] not in ("pydantic", "inferencesh", "builtins", "millrace")
    return False


def declared_schemas(bundle: str) -> dict[str, Any]:
    """Schemas in a file, for functions whose code has none: by function, or under `functions`."""
    path = os.path.join(bundle, "functions_schema.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        declared: dict[str, Any] = json.load(file)
    functions: dict[str, Any] = declared.get("functions", declared)
    return functions


def exported(module: ModuleType, name: str, kind: str) -> Any:
    """`get_all` finds `GetAllInput` and `Get_allInput`."""
    titles = ["".join(word[:1].upper() + word[1:] for word in name.split("_")), name[:1].upper() + name[1:]]
    return next((found for found in (getattr(module, title + kind, None) for title in titles) if found is not None), None)


def describe(module: ModuleType, name: str, method: Callable[..., Any], declared: Schema) -> LoadedFunction:
    hints = type_hints(method)
    parameters = list(inspect.signature(method).parameters)
    input_type = hints.get(parameters[0]) if parameters else None
    input_source = input_type if schema_of(input_type) is not None else exported(module, name, "Input")
    output_type = yielded_type(hints.get("return"))
    output_source = output_type if schema_of(output_type) is not None else exported(module, name, "Output")
    input_schema = without_required_live_fields(schema_of(input_source) or declared.get("input_schema"))
    output_schema = without_required_live_fields(schema_of(output_source) or declared.get("output_schema"))
    is_stream = live_fields(input_schema) or live_fields(output_schema) or "socket" in parameters[1:]
    schemas = {
        "description": declared.get("description") or (inspect.getdoc(method) or "").split("\n")[0],
        "kind": "stream" if is_stream else "run",
        "input_schema": input_schema,
        "output_schema": output_schema,
    }
    return LoadedFunction(name, method, input_source, schemas, parameters)


def type_hints(method: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(method)
    except Exception:  # noqa: BLE001 - an annotation that cannot be resolved counts as none
        return {}


def yielded_type(hint: Any) -> Any:
    """The output type inside AsyncGenerator[Output, None] and similar types."""
    arguments = typing.get_args(hint)
    return arguments[0] if arguments else hint
