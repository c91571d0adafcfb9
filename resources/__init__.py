"""Data that ships with Segscope; read with importlib.resources.files('resources')."""
