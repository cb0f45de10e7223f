"""The runner of Python apps. A package, so that an app's own modules can have names such as `errors` or `outputs`."""
