"""Reports errors of an app.

The task receives the message and the nearest lines of the app's own code; the log receives every frame. Paths are
relative to the bundle, because paths of this machine must not be published.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import Optional

# These class names carry no information and are left out of the message.
UNNAMED = ("Exception", "RuntimeError", "OutputRejected", "InputRejected")
SHOWN_FRAMES = 3
LOGGED_FRAMES = 30


class ErrorReporter:
    def __init__(self, bundle: str) -> None:
        self.bundles = {os.path.abspath(bundle) + os.sep, os.path.realpath(bundle) + os.sep}

    def relative(self, text: str) -> str:
        for folder in self.bundles:
            text = text.replace(folder, "")
        return text

    def frames(self, error: BaseException) -> list[str]:
        """Frames in the app's folder, nearest first. Frames of packages are used only when there are no others."""
        inside = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if not frame.filename.startswith("<")
            and any(os.path.abspath(frame.filename).startswith(folder) for folder in self.bundles)
        ]
        own = [frame for frame in inside if "site-packages" not in frame.filename]
        return [self.place(frame) for frame in reversed(own or inside)]

    def place(self, frame: traceback.FrameSummary) -> str:
        return f"    at {frame.name} ({self.relative(os.path.abspath(frame.filename))}:{frame.lineno})"

    def message(self, error: BaseException) -> str:
        name = type(error).__name__
        if isinstance(error, SyntaxError) and error.filename:
            place = f"{self.relative(os.path.abspath(error.filename))}:{error.lineno}"
            return f"{name}: {error.msg}\n    at {place}"
        text = self.relative(str(error))
        return text if name in UNNAMED and text else f"{name}: {text}" if text else name

    def describe(self, error: BaseException) -> str:
        """The error text of the task."""
        return "\n".join([self.message(error), *self.frames(error)[:SHOWN_FRAMES]])

    def print(self, error: BaseException) -> None:
        """Writes the stack trace and its causes to the app's log. Errors of the runner, without frames, are skipped."""
        if not self.frames(error):
            return
        lines = []
        at: Optional[BaseException] = error
        depth = 0
        while at is not None and depth < 5:
            name = type(at).__name__
            lines.append(f"{'caused by ' if depth else ''}{name}: {self.relative(str(at))}")
            lines.extend(self.frames(at)[:LOGGED_FRAMES])
            at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
            depth += 1
        print("\n".join(lines), file=sys.stderr, flush=True)
