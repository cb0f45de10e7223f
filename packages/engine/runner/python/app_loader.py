"""Finds the App class of a bundle, its functions and their schemas.

A function's input and output may be pydantic models (annotations), plain classes carrying a `json_schema` dictionary
(annotations), or JSON Schema dictionaries named after the function (`RunInput`, `RunOutput`) in the module.
"""

import importlib
import inspect
import json
import os
import sys
import typing

NOT_FUNCTIONS = {"setup", "unload", "on_cancel"}


class LoadedFunction:
    def __init__(self, name, method, input_type, input_schema, output_schema, kind, parameters, description):
        self.name = name
        self.description = description
        self.method = method
        self.input_type = input_type
        self.input_schema = input_schema
        self.output_schema = output_schema
        self.kind = kind
        self.takes_input = len(parameters) > 0
        self.extra = parameters[1:]

    def build_input(self, values):
        return build(self.input_type, values, live=live_fields(self.input_schema))


class LoadedApp:
    def __init__(self, instance, functions, setup_type, setup_schema):
        self.instance = instance
        self.functions = functions
        self.setup_type = setup_type
        self.schema = {
            "setup_schema": setup_schema,
            "functions": {
                fn.name: {
                    "name": fn.name,
                    "description": fn.description or (inspect.getdoc(fn.method) or "").split("\n")[0],
                    "kind": fn.kind,
                    "input_schema": fn.input_schema,
                    "output_schema": fn.output_schema,
                    "file_inputs": "engine",
                }
                for fn in functions.values()
            },
        }

    async def set_up(self, values, metadata):
        import runs

        handler = getattr(self.instance, "setup", None)
        if handler is None:
            return
        wanted = [p.name for p in inspect.signature(handler).parameters.values()]
        await runs.call(handler, *setup_arguments(wanted, build(self.setup_type, values, "setup"), metadata))


def setup_arguments(wanted, values, metadata):
    """Apps ask for their set-up values, for the metadata, or for both: what is called metadata gets it."""
    if wanted[:1] == ["metadata"]:
        return [metadata]
    return [values, metadata][: len(wanted)]


def load(bundle):
    sys.path.insert(0, bundle)
    if not os.path.exists(os.path.join(bundle, "inference.py")):
        raise RuntimeError("the bundle has no inference.py")
    module = importlib.import_module("inference")
    app_class = getattr(module, "App", None)
    if not inspect.isclass(app_class):
        raise RuntimeError("inference.py has no class named App")
    instance = app_class()
    beside = schemas_beside(bundle)
    functions = {}
    for name, method in inspect.getmembers(instance, inspect.ismethod):
        if name.startswith("_") or name in NOT_FUNCTIONS or not defined_by_app(app_class, name):
            continue
        functions[name] = describe(module, name, method, beside.get(name) or {})
    setup_type = getattr(module, "AppSetup", None)
    return LoadedApp(instance, functions, setup_type, schema_of(setup_type))


def defined_by_app(app_class, name):
    """Methods inherited from a framework's base class are not functions of the app."""
    for base in app_class.__mro__:
        if name in vars(base):
            return base.__module__.split(".")[0] not in ("pydantic", "inferencesh", "builtins", "millrace")
    return False


def schemas_beside(bundle):
    """What a deployer wrote down about functions whose code says nothing: by function, or under `functions`."""
    path = os.path.join(bundle, "functions_schema.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        written = json.load(file)
    return written.get("functions", written)


def exported(module, name, kind):
    """`get_all` finds `GetAllInput`, and `Get_allInput` too."""
    titles = ["".join(word[:1].upper() + word[1:] for word in name.split("_")), name[:1].upper() + name[1:]]
    return next((found for found in (getattr(module, title + kind, None) for title in titles) if found is not None), None)


def describe(module, name, method, beside):
    hints = type_hints(method)
    parameters = [p.name for p in inspect.signature(method).parameters.values()]
    input_type = hints.get(parameters[0]) if parameters else None
    input_source = input_type if schema_of(input_type) is not None else exported(module, name, "Input")
    output_type = unwrap(hints.get("return"))
    output_source = output_type if schema_of(output_type) is not None else exported(module, name, "Output")
    input_schema = without_live_demands(schema_of(input_source) or beside.get("input_schema"))
    output_schema = without_live_demands(schema_of(output_source) or beside.get("output_schema"))
    live = live_fields(input_schema) or live_fields(output_schema) or "socket" in parameters[1:]
    return LoadedFunction(
        name,
        method,
        input_source,
        input_schema,
        output_schema,
        "stream" if live else "run",
        parameters,
        beside.get("description"),
    )


def type_hints(method):
    try:
        return typing.get_type_hints(method)
    except Exception:  # noqa: BLE001 - an annotation that cannot be resolved is no annotation
        return {}


def unwrap(hint):
    """The output type inside AsyncGenerator[Output, None] and its relatives."""
    arguments = typing.get_args(hint)
    return arguments[0] if arguments else hint


def schema_of(source):
    if isinstance(source, dict):
        return source
    if not inspect.isclass(source):
        return None
    if hasattr(source, "model_json_schema"):
        return mark_files(source.model_json_schema())
    own = getattr(source, "json_schema", None)
    return own if isinstance(own, dict) else None


def mark_files(schema):
    """Fields of a File model are file fields, whatever else the model says about itself."""
    definitions = schema.get("$defs", {})
    for name in [name for name in definitions if name == "File"]:
        definitions[name] = {"type": "string", "format": "file"}
    return schema


def live_fields(schema):
    fields = (schema or {}).get("properties", {})
    return [name for name, field in fields.items() if isinstance(field, dict) and field.get("format") == "stream"]


def without_live_demands(schema):
    """Live fields travel over the socket: no request and no output can be asked for them."""
    live = live_fields(schema)
    if not live or not schema.get("required"):
        return schema
    required = [name for name in schema["required"] if name not in live]
    others = {key: value for key, value in schema.items() if key != "required"}
    return {**others, "required": required} if required else others


class InputRefused(Exception):
    """An input that the app's own class cannot take."""


def build(source, values, what="input", live=()):
    """The value a function receives: a model, an instance of a plain class, or the dictionary itself."""
    if not inspect.isclass(source) or not isinstance(values, dict):
        return values
    values = {**{name: [] for name in live if insists_on(source, name)}, **values}
    if hasattr(source, "model_validate"):
        return source.model_validate(values)
    require_known(source, values, what)
    return source(**values)


def insists_on(source, name):
    """Whether the class cannot be made without this field. A live one is then given to it empty."""
    if hasattr(source, "model_fields"):
        return name in source.model_fields and source.model_fields[name].is_required()
    try:
        field = inspect.signature(source).parameters.get(name)
    except ValueError:
        return False
    return field is not None and field.default is field.empty


def require_known(source, values, what):
    """Python itself would speak of keyword arguments, which whoever runs the app has never seen."""
    try:
        parameters = inspect.signature(source).parameters.values()
    except ValueError:
        return
    fields = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    takes_any = any(p.kind == p.VAR_KEYWORD for p in parameters)
    names = [field.name for field in fields]
    unknown = [] if takes_any else [name for name in values if name not in names]
    if unknown:
        known = f"its fields are {', '.join(names)}" if names else "it has no fields"
        raise InputRefused(f"the {what} has no field {', '.join(unknown)}; {known}")
    missing = [field.name for field in fields if field.default is field.empty and field.name not in values]
    if missing:
        raise InputRefused(f"the {what} lacks {', '.join(missing)}")
