"""Which files of an output are handed over.

The engine uploads only from the app's own folders, so what lies elsewhere is copied there, with the app's own rights. No
path of this machine leaves as data: an app that merely repeats what its caller wrote must neither hand over a file of
the host nor lose one of its own.
"""

import os
import shutil
import stat
import sys
import time
import uuid

SHARED_TEMPORARY = "/tmp"
LONGEST_PATH = 4096
# File systems keep time by a coarser clock than programs read.
CLOCK_GRAIN = 0.02

# When the run began, so that what it wrote can be told from what was there. One run at a time.
begun_at = 0.0


class OutputRefused(Exception):
    """An output that must not leave as it is."""


def begin_run():
    global begun_at
    begun_at = time.time()


def folders(*names):
    return [os.environ[f"MILLRACE_{name}_DIR"] for name in names if os.environ.get(f"MILLRACE_{name}_DIR")]


def scratch():
    """Folders that this process alone sees, besides its own: the /tmp of a sandbox. Without a sandbox there are none."""
    return [place for place in os.environ.get("MILLRACE_SCRATCH_DIRS", "").split(":") if place]


def uploadable():
    return folders("DATA", "TMP", "CACHE")


def of_this_run():
    return [*folders("TMP", "FILES"), *scratch()]


def kept():
    return [*folders("DATA", "CACHE"), *sys.argv[1:2]]


def within(places, path):
    return any(path == place or path.startswith(place + os.sep) for place in places)


def absolute(text):
    try:
        return os.path.abspath(text)
    except OSError:
        # The app removed the folder it stands in.
        return os.path.normpath(os.path.join(sys.argv[1], text))


def facts_of(path):
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def is_ordinary(facts):
    return facts is not None and stat.S_ISREG(facts.st_mode)


def is_new(facts):
    return facts is not None and facts.st_ctime >= begun_at - CLOCK_GRAIN


def is_lent(path):
    """An input as it was lent: it has an address already."""
    return within(folders("FILES"), absolute(path))


def given(text):
    """Of a File, or of a text where the schema wants a file: the app itself says that it hands it over."""
    path = absolute(text)
    if within([*of_this_run(), *kept()], path) or scratch():
        return adopt(path)
    if within([SHARED_TEMPORARY], path) and is_new(facts_of(path)):
        return adopt(path)
    raise outside(path)


def described(text):
    """Of a dictionary that says where a file lies. None: it names nothing on this machine and is data."""
    if text == "":
        return None
    path = absolute(text)
    if within([*of_this_run(), *kept()], path):
        facts = facts_of(path)
        if facts is None and not text.startswith(os.sep):
            return None
        if within([*of_this_run(), *uploadable()], path) or not is_ordinary(facts) or is_new(facts):
            return adopt(path)
        raise unnamed(path)
    # Looking further than the first folder would tell a caller what this machine holds.
    if text.startswith(os.sep) and facts_of(os.sep + path.lstrip(os.sep).split(os.sep)[0]) is None:
        return None
    raise outside(path)


def named(text):
    """Of any other text. A bare word is a path only when this run has written the file."""
    if text == "" or len(text) > LONGEST_PATH or "\0" in text or "\n" in text:
        return None
    path = absolute(text)
    own = within([*of_this_run(), *kept()], path)
    shared = not scratch() and within([SHARED_TEMPORARY], path)
    facts = facts_of(path) if own or shared else None
    if not is_ordinary(facts):
        return None
    if not own:
        # Without a sandbox /tmp is everybody's: what this run wrote there would be lost, anything else is a text.
        if is_new(facts):
            raise outside(path)
        return None
    if within(of_this_run(), path) or is_new(facts):
        return adopt(path)
    if os.sep not in text:
        return None
    raise unnamed(path)


def adopt(path):
    facts = facts_of(path)
    if facts is None:
        raise missing(path)
    if not is_ordinary(facts):
        raise OutputRefused(f"the app returned the file {os.path.basename(path)}, which is not an ordinary file")
    if within(uploadable(), path):
        return path
    folder = os.path.join(os.environ.get("MILLRACE_TMP_DIR", "."), "outputs", uuid.uuid4().hex)
    os.makedirs(folder)
    try:
        return shutil.copy(path, folder)
    except PermissionError as error:
        raise OutputRefused(f"the app returned the file {os.path.basename(path)}, which cannot be read") from error


def missing(path):
    return OutputRefused(f"the app returned the file {os.path.basename(path)}, which does not exist")


def unnamed(path):
    return OutputRefused(
        f"the output names {os.path.basename(path)} in the app's own folder by its path; return a File to hand it over"
    )


def outside(path):
    return OutputRefused(
        f"the app returned the file {os.path.basename(path)}, which lies outside its folders; "
        "write files to the folder that TMPDIR names"
    )
