"""The window: a desktop view of what `engine` computes.

This file stays empty of imports, so that `python3 -m app.setup` runs on a bare Python.
"""
