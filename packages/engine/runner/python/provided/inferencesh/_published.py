"""The error for names that only the published package has."""

from __future__ import annotations


def unavailable(module: str, name: str) -> Exception:
    # Python's own machinery asks modules for such names and expects the ordinary answer.
    if name.startswith("__"):
        return AttributeError(f"module {module} has no attribute {name}")
    return ImportError(f"{module}.{name} needs the published package: add inferencesh to requirements.txt")
