"""The package that a bundle is imported as, so that its files can import each other relatively.

A module of the runner, so that worker processes which the app starts (multiprocessing) can import the same package.
"""

import os
import sys

_folder = os.path.abspath(sys.argv[1])
__path__ = [_folder]
__package__ = __name__
__spec__.submodule_search_locations = __path__
__file__ = os.path.join(_folder, "__init__.py")

if os.path.exists(__file__):
    with open(__file__, "rb") as _source:
        _code = compile(_source.read(), __file__, "exec")
    exec(_code, globals())
