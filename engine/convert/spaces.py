"""What a SentencePiece model does before it cuts, as the normalizer of a tokenizer.json, and back.

The map of characters is held as it is, by a `Precompiled` step. The tokenizers library applies it
by grapheme: where a grapheme of under 6 bytes begins with something that the map has, the shortest
such beginning gives what the whole grapheme becomes, and what followed in it is lost; in all other
graphemes each character is looked up alone. SentencePiece takes the longest rule that fits at each
place of the text, wherever graphemes end. So both agree on texts whose graphemes are single
characters, and may differ on others.
"""

from __future__ import annotations

import base64
from itertools import product
from typing import Any

from engine.formats.protobuf import BYTES, fields
from engine.model import Model
from engine.pipelines.sentencepiece import SPACE, Normalization, SentencePiecePipeline
from engine.text import Text

Part = dict[str, Any]


def normalizer_of(rules: Normalization, charsmap: bytes = b"") -> Part | None:
    """Return a normalizer of the tokenizers library that does what the rules say.

    charsmap: the map of characters, empty for none. The rules put no mark after the text. Spaces
    too many are those at both ends and all but one of several; at the end marks that the text
    itself holds go with them.
    """
    mark = SPACE if rules.escape_spaces else " "
    steps: list[Part] = []
    if charsmap:
        table = base64.b64encode(charsmap).decode()
        steps.append({"type": "Precompiled", "precompiled_charsmap": table})
    if rules.remove_extra_spaces:
        steps += [_regex(r"\A +", ""), _regex(" {2,}", " ")]
    if rules.escape_spaces:
        steps.append({"type": "Replace", "pattern": {"String": " "}, "content": SPACE})
    if rules.remove_extra_spaces:
        steps.append(_regex(rf"{mark}+\z", ""))
    if rules.add_dummy_prefix:
        steps.append({"type": "Prepend", "prepend": mark})
    if len(steps) > 1:
        return {"type": "Sequence", "normalizers": steps}
    return steps[0] if steps else None


def charsmap_of(proto: bytes) -> bytes:
    """Return the map of characters in a SentencePiece model file; empty where it has none.

    It is `precompiled_charsmap`, field 2 of `normalizer_spec`, which is field 3 of `ModelProto`.
    """
    found = b""
    for number, wire, start, stop in fields(proto, 0, len(proto)):
        if number == 3 and wire == BYTES:
            for inner, kind, begin, end in fields(proto, start, stop):
                if inner == 2 and kind == BYTES:
                    found = proto[begin:end]
    return found


def by_grapheme(model: Model, other: Model, text: str) -> bool:
    """Whether the two libraries' ways to apply a map of characters make a text differ.

    model: one with a map; other: the same as a tokenizer.json. Graphemes of several characters are
    what the ways differ in.
    """
    pipeline = model.pipeline
    if not isinstance(pipeline, SentencePiecePipeline) or not pipeline.rules.has_charsmap:
        return False
    given = Text(text)
    if given.n_graphemes == len(text):
        return False
    mine, theirs = pipeline.prepare(given), other.pipeline.prepare(given)
    return mine.data.tobytes() != theirs.data.tobytes()


def decoder_of(rules: Normalization, byte_fallback: bool) -> Part:
    """Return a decoder of the tokenizers library that does what SentencePiece's decoding does."""
    steps: list[Part] = [{"type": "Replace", "pattern": {"String": SPACE}, "content": " "}]
    if byte_fallback:
        steps.append({"type": "ByteFallback"})
    steps.append({"type": "Fuse"})
    if rules.add_dummy_prefix and rules.escape_spaces:
        # A space that was put before the text as a space stays, as in SentencePiece.
        steps.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {"type": "Sequence", "decoders": steps}


def rules_of(normalizer: Any) -> Normalization | None:
    """Return the rules whose `normalizer_of` this is, or that a file like Llama's means; or None.

    Llama's files first put the mark before the text and then write it for each space.
    """
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
    prepend = {"type": "Prepend", "prepend": SPACE}
    if normalizer == {"type": "Sequence", "normalizers": [prepend, spaces]}:
        return Normalization("identity", False, True, False, True)
    for prefix, remove, escape in product((True, False), repeat=3):
        rules = Normalization("identity", False, prefix, remove, escape)
        if normalizer == normalizer_of(rules):
            return rules
    return None


def _regex(pattern: str, content: str) -> Part:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}
