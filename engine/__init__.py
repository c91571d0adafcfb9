"""Segscope's engine: subword tokenizers as plain data, without a window.

In use:

    import engine

    model = engine.load("gpt2.tokenizer.json")
    encoding = model.encode("Hello, 今天天气不错")
    lattice = model.lattice("watching")
    law = lattice.law(theta=0.5)

A part is imported when it is first named, so that `import engine` is quick.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.corpus import open_corpus
    from engine.errors import SegscopeError
    from engine.formats import load
    from engine.lattice import Lattice, Path
    from engine.metrics import compare
    from engine.model import Encoding, Model, Token
    from engine.text import Text

__all__ = [
    "Encoding",
    "Lattice",
    "Model",
    "Path",
    "SegscopeError",
    "Text",
    "Token",
    "compare",
    "load",
    "open_corpus",
]

_HOME = {
    "Encoding": "engine.model",
    "Lattice": "engine.lattice",
    "Model": "engine.model",
    "Path": "engine.lattice",
    "SegscopeError": "engine.errors",
    "Text": "engine.text",
    "Token": "engine.model",
    "compare": "engine.metrics",
    "load": "engine.formats",
    "open_corpus": "engine.corpus",
}

# A type checker knows the names from above; this one would let any other name pass.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a public name from its module, once."""
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(_HOME[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
