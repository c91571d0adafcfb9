"""Segscope's engine: subword tokenizers as plain data, without a window.

In use:

    import engine

    model = engine.load("gpt2.tokenizer.json")
    encoding = model.encode("Hello, 今天天气不错")
    lattice = model.lattice("watching")
    law = lattice.law(theta=0.5)
"""

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
