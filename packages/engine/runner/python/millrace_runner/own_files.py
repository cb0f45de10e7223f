"""Decides which files of an output are uploaded.

The engine uploads only from the app's own folders, so files elsewhere are copied there with the app's own rights. Local
paths are never sent as data: an app that repeats text from its caller must neither upload a file of the host nor lose
one of its own.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import time
import uuid
from typing import Optional

SHARED_TEMPORARY = "/tmp"
MAX_PATH_LENGTH = 4096
# File timestamps are coarser than the clock of the process.
CLOCK_GRAIN = 0.02

# Start time of the run, used to distinguish new files from old ones. There is one run at a time.
begun_at = 0.0


class OutputRejected(Exception):
    """An output that must not be sent."""


def begin_run() -> None:
    global begun_at
    begun_at = time.time()


def folders(*names: str) -> list[str]:
    return [os.environ[f"MILLRACE_{name}_DIR"] for name in names if os.environ.get(f"MILLRACE_{name}_DIR")]


def scratch() -> list[str]:
    """Folders that only this process sees, in addition to its own: the /tmp of a sandbox. Empty without a sandbox."""
    return [place for place in os.environ.get("MILLRACE_SCRATCH_DIRS", "").split(":") if place]


def uploadable() -> list[str]:
    return folders("DATA", "TMP", "CACHE")


def of_this_run() -> list[str]:
    return [*folders("TMP", "FILES"), *scratch()]


def permanent() -> list[str]:
    return [*folders("DATA", "CACHE"), *sys.argv[1:2]]


def within(places: list[str], path: str) -> bool:
    return any(path == place or path.startswith(place + os.sep) for place in places)


def absolute(text: str) -> str:
    try:
        path = os.path.abspath(text)
    except OSError:
        # The app removed its working directory.
        path = os.path.normpath(os.path.join(sys.argv[1], text))
    # TMPDIR can be a short name of the temporary folder.
    short, own = os.environ.get("TMPDIR"), os.environ.get("MILLRACE_TMP_DIR")
    return own + path[len(short) :] if short and own and within([short], path) else path


def facts_of(path: str) -> Optional[os.stat_result]:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def is_regular(facts: Optional[os.stat_result]) -> bool:
    return facts is not None and stat.S_ISREG(facts.st_mode)


def is_new(facts: Optional[os.stat_result]) -> bool:
    return facts is not None and facts.st_ctime >= begun_at - CLOCK_GRAIN


def is_input_file(path: str) -> bool:
    """An input file, which already has a URL."""
    return within(folders("FILES"), absolute(path))


def given(text: str) -> str:
    """For a File object, or a string where the schema expects a file: the app returns the file explicitly."""
    path = absolute(text)
    if within([*of_this_run(), *permanent()], path) or scratch():
        return adopt(path)
    if within([SHARED_TEMPORARY], path) and is_new(facts_of(path)):
        return adopt(path)
    raise outside(path)


def described(text: str) -> Optional[str]:
    """For a dictionary with the path of a file. None: the path does not exist on this machine and the value is data."""
    if text == "":
        return None
    path = absolute(text)
    if within([*of_this_run(), *permanent()], path):
        facts = facts_of(path)
        if facts is None and not text.startswith(os.sep):
            return None
        if within([*of_this_run(), *uploadable()], path) or not is_regular(facts) or is_new(facts):
            return adopt(path)
        raise unnamed(path)
    # A check below the first folder would reveal to a caller which paths exist on this machine.
    if text.startswith(os.sep) and facts_of(os.sep + path.lstrip(os.sep).split(os.sep)[0]) is None:
        return None
    raise outside(path)


def named(text: str) -> Optional[str]:
    """For any other string. A bare word is a path only when this run has written the file."""
    if text == "" or len(text) > MAX_PATH_LENGTH or "\0" in text or "\n" in text:
        return None
    path = absolute(text)
    own = within([*of_this_run(), *permanent()], path)
    shared = not scratch() and within([SHARED_TEMPORARY], path)
    facts = facts_of(path) if own or shared else None
    if not is_regular(facts):
        return None
    if not own:
        # Without a sandbox, /tmp is shared: a file of this run would be lost there, any other path is plain text.
        if is_new(facts):
            raise outside(path)
        return None
    if within(of_this_run(), path) or is_new(facts):
        return adopt(path)
    if os.sep not in text:
        return None
    raise unnamed(path)


def adopt(path: str) -> str:
    facts = facts_of(path)
    if facts is None:
        raise missing(path)
    if not is_regular(facts):
        raise OutputRejected(f"the app returned the file {os.path.basename(path)}, which is not a regular file")
    if within(uploadable(), path):
        return path
    folder = os.path.join(os.environ.get("MILLRACE_TMP_DIR", "."), "outputs", uuid.uuid4().hex)
    os.makedirs(folder)
    try:
        copy: str = shutil.copy(path, folder)
        return copy
    except PermissionError as error:
        raise OutputRejected(f"the app returned the file {os.path.basename(path)}, which cannot be read") from error


def missing(path: str) -> OutputRejected:
    return OutputRejected(f"the app returned the file {os.path.basename(path)}, which does not exist")


def unnamed(path: str) -> OutputRejected:
    return OutputRejected(
        f"the output contains {os.path.basename(path)} in the app's own folder as a path; return a File to upload it"
    )


def outside(path: str) -> OutputRejected:
    return OutputRejected(
        f"the app returned the file {os.path.basename(path)}, which is outside its folders; "
        "write files to the folder in TMPDIR"
    )
