"""The pipeline of a tokenizer.json, run by the `tokenizers` library itself.

The library gets a tokenizer with the file's own normalizer, pre-tokenizer, decoder and added
tokens, but with a model of single bytes. What such a tokenizer returns for a text is exactly what
the real model is given: the bytes, the pre-tokens (word ids), the added tokens that were cut out,
and the characters of the text that each byte comes from.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import alphabet
from engine.encodings import PATTERNS
from engine.errors import SegscopeError
from engine.kernels import compiled
from engine.pipeline import (
    Prepared,
    PreparedLines,
    check_unicode,
    cut_out,
)
from engine.pipelines.alignment import align_groups, keep_marks
from engine.pipelines.components import SPLITTERS, Components, byte_level, describe, parts_of
from engine.pipelines.panics import hidden_panics, is_panic
from engine.pipelines.scanning import SCANS
from engine.pipelines.splitting import Splitter, isolated, odd_characters, same_everywhere
from engine.pipelines.stretches import Stretches, tiled_lines
from engine.pipelines.words import WordTable
from engine.readings import Special
from engine.text import Text

_ON_TEXT = "leave out what it fails on, or correct the file's normalizer or pre-tokenizer"
_ON_IDS = "choose other ids, or correct the file's decoder"
_ON_FILE = "correct that part of the file"


class LibraryError(SegscopeError):
    """The tokenizers library fails; `reason` is what it says."""

    def __init__(self, what: str, reason: str, where: str, remedy: str) -> None:
        self.reason = " ".join(reason.split())[:200]
        super().__init__(f"the tokenizers library {what} ({self.reason})", where, remedy)


def _common_start(texts: list[str]) -> str:
    """Return what all texts begin with."""
    low, high = min(texts, default=""), max(texts, default="")
    same = 0
    while same < len(low) and low[same] == high[same]:
        same += 1
    return low[:same]


@dataclass(frozen=True, eq=False)
class HuggingFacePipeline:
    """Normalizer, pre-tokenizer, added tokens and decoder of a tokenizer.json.

    tokens: the pieces as the file writes them, by id; None for a hole. file: where all this is
    from, for errors.
    """

    components: Components
    tokens: tuple[str | None, ...]
    file: Path = Path()
    _made: dict[bool, Any] = field(default_factory=dict, repr=False)
    _sought: dict[bool, tuple[str, ...]] = field(default_factory=dict, repr=False)
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the library's objects and the lock behind."""
        return {"components": self.components, "tokens": self.tokens, "file": self.file}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _made={}, _sought={}, _lock=threading.Lock())

    @contextmanager
    def _library(self, what: str, remedy: str, ours: bool = False) -> Iterator[None]:
        """Turn a failure of the library into a `LibraryError`; a panic isn't even an Exception.

        ours: code of ours runs here too; its faults, unlike the library's, aren't bare `Exception`.
        """
        try:
            with hidden_panics():
                yield
        except Exception as error:
            if ours and type(error) is not Exception:
                raise
            raise LibraryError(what, str(error), str(self.file), remedy) from None
        except BaseException as error:
            if not is_panic(error):
                raise
            raise LibraryError(what, str(error), str(self.file), remedy) from None

    # What the file says

    @cached_property
    def normalizer(self) -> str:
        """One line that describes the normalizer."""
        return describe(self.components.normalizer, "normalizers")

    @cached_property
    def pre_tokenizer(self) -> str:
        """One line that describes the pre-tokenizer."""
        return describe(self.components.pre_tokenizer, "pretokenizers")

    @cached_property
    def cleans_up(self) -> bool:
        """Whether the decoder removes spaces that it takes for the tokenizer's own."""
        parts = parts_of(self.components.decoder, "decoders")
        return any(
            part.get("type") in ("WordPiece", "CTC") and part.get("cleanup", True) for part in parts
        )

    @cached_property
    def byte_level(self) -> bool:
        """Whether the text is turned into GPT-2's byte alphabet."""
        parts = self.components
        return byte_level({"normalizer": parts.normalizer, "pre_tokenizer": parts.pre_tokenizer})

    @cached_property
    def _splits_only(self) -> bool:
        """Whether the pre-tokenizer cuts the text and changes nothing."""
        parts = parts_of(self.components.pre_tokenizer, "pretokenizers")
        return all(
            part.get("type") in SPLITTERS and not part.get("add_prefix_space", False)
            if part.get("type") == "ByteLevel"
            else part.get("type") in SPLITTERS
            for part in parts
        )

    @cached_property
    def _splitter(self) -> Splitter | None:
        """The split pattern, where the byte alphabet and one common pattern are all there is."""
        if not (self.byte_level and self._splits_only):
            return None
        parts = parts_of(self.components.pre_tokenizer, "pretokenizers")
        steps = [part.get("type") for part in parts]
        regular = bool(parts) and parts[-1].get("use_regex", True)
        if steps == ["ByteLevel"] and regular:
            return Splitter(PATTERNS["gpt2"])
        if steps != ["Split", "ByteLevel"] or regular:
            return None
        split, pattern = parts[0], parts[0].get("pattern")
        if split.get("behavior") != "Isolated" or split.get("invert"):
            return None
        expression = pattern.get("Regex") if isinstance(pattern, dict) else None
        if not isinstance(expression, str) or not same_everywhere(expression):
            return None
        return Splitter(expression)

    @cached_property
    def _words(self) -> WordTable | None:
        """What becomes of each character, where BERT's two steps are all there is."""
        steps = [part.get("type") for part in parts_of(self.components.normalizer, "normalizers")]
        splits = parts_of(self.components.pre_tokenizer, "pretokenizers")
        if steps not in ([], ["BertNormalizer"]) or len(splits) != 1:
            return None
        if splits[0].get("type") != "BertPreTokenizer":
            return None
        tokenizer = self._tokenizer(False)
        return WordTable(tokenizer.normalizer, tokenizer.pre_tokenizer)

    @cached_property
    def _at_start(self) -> bool:
        """Whether the pre-token at the start of the text as given is treated apart."""
        parts = parts_of(self.components.pre_tokenizer, "pretokenizers")
        return any(part.get("prepend_scheme") == "first" for part in parts)

    # The library's objects

    def _tokenizer(self, parse: bool) -> Any:
        """Return the library's tokenizer over single bytes.

        `parse` says whether special tokens are cut out; one object each, as it is a setting.
        """
        with self._lock:
            if parse not in self._made:
                self._made[parse] = self._make(parse)
            return self._made[parse]

    def _make(self, parse: bool) -> Any:
        from tokenizers import Tokenizer

        # Byte-level text comes in GPT-2's alphabet, one character a byte; any other character is
        # spelled in bytes by the model's byte fallback. Either way the byte is the id modulo 256.
        parts = self.components
        entries = list(alphabet.CHARACTERS) if self.byte_level else []
        entries += [f"<0x{byte:02X}>" for byte in range(256)]
        document = {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [
                {
                    "id": len(entries) + i,
                    "content": token.content,
                    "single_word": token.single_word,
                    "lstrip": token.lstrip,
                    "rstrip": token.rstrip,
                    "normalized": token.normalized,
                    "special": token.special,
                }
                for i, token in enumerate(parts.added)
            ],
            "normalizer": parts.normalizer,
            "pre_tokenizer": parts.pre_tokenizer,
            "post_processor": parts.post_processor,
            "decoder": parts.decoder,
            "model": {
                "type": "BPE",
                "dropout": None,
                "unk_token": None,
                "continuing_subword_prefix": None,
                "end_of_word_suffix": None,
                "fuse_unk": False,
                "byte_fallback": True,
                "vocab": {entry: i for i, entry in enumerate(entries)},
                "merges": [],
            },
        }
        tokenizer = Tokenizer.from_str(json.dumps(document))
        tokenizer.encode_special_tokens = not parse
        return tokenizer

    @cached_property
    def _added_ids(self) -> NDArray[np.int32]:
        """Id of the added token behind each id of the library's tokenizer; -1 for a byte."""
        tokenizer = self._tokenizer(False)
        ids = {tokenizer.token_to_id(t.content): t.id for t in self.components.added}
        table = np.full(max(512, *ids, 0) + 1, -1, dtype=np.int32)
        for own, real in ids.items():
            table[own] = real
        return table

    @cached_property
    def _written(self) -> dict[int, str]:
        """How the library writes the added tokens: some of them normalized."""
        tokenizer = self._tokenizer(False)
        own = ((t.id, tokenizer.token_to_id(t.content)) for t in self.components.added)
        return {real: tokenizer.id_to_token(number) for real, number in own}

    @cached_property
    def _first_added(self) -> int:
        return 512 if self.byte_level else 256

    def template(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the ids that the post-processor puts before and after a text.

        Raises `LibraryError` if the library refuses a component.
        """
        with self._library("refuses a component of the file", _ON_FILE):
            return self._template()

    def _template(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        tokenizer = self._tokenizer(False)
        processor = tokenizer.post_processor
        if processor is None:
            return (), ()
        framed = processor.process(tokenizer.encode("a", add_special_tokens=False), None, True)
        ids, mask = framed.ids, framed.special_tokens_mask
        first = mask.index(0) if 0 in mask else len(mask)
        before, after = ids[:first], ids[first:]
        return tuple(before), tuple(i for i, m in zip(after, mask[first:], strict=True) if m)

    def _needles(self, parse: bool) -> tuple[str, ...]:
        """Strings one of which is in every text that an added token is cut out of."""
        if parse not in self._sought:
            tokenizer = self._tokenizer(parse)
            found = []
            for token in self.components.added:
                if token.special and not parse:
                    continue
                found.append(token.content)
                if token.normalized and tokenizer.normalizer is not None:
                    found.append(tokenizer.normalizer.normalize_str(token.content))
            common = _common_start(found)
            self._sought[parse] = (common,) if common else tuple(found)
        return self._sought[parse]

    # Preparing

    def prepare(self, text: Text, special: Special = "literal") -> Prepared:
        """Return `text` as the library gives it to the model.

        Special tokens are cut out only where `special` is "parse"; other added tokens always.
        """
        parse = special == "parse"
        with self._library("fails on this text", _ON_TEXT, ours=True):
            spans = self._split_unchanged(text, parse)
        if spans is not None:
            return cut_out(text, *spans)
        tokenizer = self._tokenizer(parse)
        # encode_batch lets other threads run, encode doesn't.
        with self._library("fails on this text", _ON_TEXT):
            (encoding,) = tokenizer.encode_batch([text.string], add_special_tokens=False)
        return self._from_encoding(text, encoding)

    @cached_property
    def _unsplit(self) -> HuggingFacePipeline:
        bare = replace(self.components, pre_tokenizer=None)
        return HuggingFacePipeline(bare, self.tokens, self.file)

    def normalize(self, text: Text, special: Special = "literal") -> Prepared:
        """Return `text` after the normalizer alone; its pre-tokens end at added tokens only."""
        return self._unsplit.prepare(text, special)

    def _split_unchanged(
        self, text: Text, parse: bool
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None:
        """Return the pre-tokens' starts and ends in bytes if the text itself isn't changed."""
        if not self._splits_only or any(s in text.string for s in self._needles(parse)):
            return None
        tokenizer = self._tokenizer(parse)
        normalizer, splitter = tokenizer.normalizer, tokenizer.pre_tokenizer
        if normalizer is not None and normalizer.normalize_str(text.string) != text.string:
            return None
        if splitter is None:
            ends = [(0, text.n_chars)]
        elif self._splitter is not None and not odd_characters(text.string):
            ends = isolated(self._splitter.spans(text.string), text.n_chars)
        else:
            ends = [span for _, span in splitter.pre_tokenize_str(text.string)]
        chars = np.fromiter(chain.from_iterable(ends), dtype=np.int64, count=2 * len(ends))
        spans = text.char_bounds[chars].reshape(-1, 2)
        spans = spans[spans[:, 0] < spans[:, 1]]
        return spans[:, 0], spans[:, 1]

    def _from_encoding(self, text: Text, encoding: Any) -> Prepared:
        """Read the model's input off what the library's tokenizer over single bytes returned."""
        ids = np.array(encoding.ids, dtype=np.int64)
        t = len(ids)
        words = np.fromiter((w or 0 for w in encoding.word_ids), dtype=np.int64, count=t)
        chars = np.fromiter(chain.from_iterable(encoding.offsets), dtype=np.int64, count=2 * t)
        spans = text.char_bounds[chars].reshape(-1, 2).astype(np.int64)
        starts, ends = spans[:, 0], spans[:, 1]
        fixed = self._fixed(text, ids, words, chars)
        align_groups(text, (ids & 0xFF).astype(np.uint8), starts, ends, fixed < 0)
        first = np.flatnonzero(np.diff(words, prepend=-1))
        # An added token stands for the bytes of the text that it was cut out of.
        lengths = np.where(fixed >= 0, ends - starts, 1)
        at = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        owner = np.repeat(np.arange(t), lengths)
        inside = np.arange(at[-1]) - at[owner]
        added = fixed[owner] >= 0
        source_start = np.where(added, starts[owner] + inside, starts[owner])
        source_end = np.where(added, source_start + 1, ends[owner])
        data = (ids[owner] & 0xFF).astype(np.uint8)
        data[added] = text.data[source_start[added]]
        keep_marks(text, source_start, source_end)
        return Prepared(
            text,
            data,
            np.append(at[first], at[-1]).astype(np.int32),
            fixed[first].astype(np.int32),
            source_start.astype(np.int32),
            source_end.astype(np.int32),
        )

    def _fixed(
        self,
        text: Text,
        ids: NDArray[np.int64],
        words: NDArray[np.int64],
        chars: NDArray[np.int64],
    ) -> NDArray[np.int32]:
        """Return the id of the added token that each library token stands for, -1 for a byte."""
        fixed = self._added_ids[ids]
        doubtful = np.flatnonzero((fixed >= 0) & (ids < self._first_added))
        # An added token that is spelled like a byte of ours is one only where the text has it.
        for i in doubtful.tolist():
            alone = (i == 0 or words[i - 1] != words[i]) and (
                i + 1 == len(words) or words[i + 1] != words[i]
            )
            written = text.string[chars[2 * i] : chars[2 * i + 1]].strip()
            own = [t.content for t in self.components.added if t.id == fixed[i]]
            if not alone or written not in own:
                fixed[i] = -1
        return fixed

    def prepare_lines(self, lines: Sequence[str]) -> PreparedLines:
        """Return many texts ready for the model, special strings read literally."""
        check_unicode(lines)
        with self._library("fails on one of these texts", _ON_TEXT, ours=True):
            return self._prepare_lines(lines)

    def _prepare_lines(self, lines: Sequence[str]) -> PreparedLines:
        tokenizer = self._tokenizer(False)
        normalizer, splitter = tokenizer.normalizer, tokenizer.pre_tokenizer
        needles = self._needles(False)
        fast = compiled(sum(map(len, lines)))
        if fast and self._words is not None and not needles:
            found = self._words.split(lines)
            if found is not None:
                return tiled_lines(*found)
        own = self._splitter
        rule = SCANS.get(own.pattern) if own is not None and fast else None
        odd = odd_characters("".join(lines)) if own and not rule else set()
        find = own.compiled.findall if own else None
        stretches = Stretches(self.byte_level and find is None, rule)
        for line in lines:
            changed = line if normalizer is None else normalizer.normalize_str(line)
            whole = self._at_start and changed != line
            if whole or (needles and any(s in line or s in changed for s in needles)):
                stretches.add_prepared(self.prepare(Text(line)))
            elif rule is not None:
                stretches.add_line(changed)
            elif find is not None:
                found_here = find(changed)
                if sum(map(len, found_here)) == len(changed) and odd.isdisjoint(changed):
                    stretches.add(found_here)
                else:
                    stretches.add_prepared(self.prepare(Text(line)))
            elif splitter is None:
                stretches.add([changed] if changed else [])
            else:
                stretches.add([piece for piece, _ in splitter.pre_tokenize_str(changed) if piece])
        return stretches.joined()

    # Decoding

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return what the library's decoder makes of the pieces; special tokens are kept.

        Byte-level models give their real bytes, where the library would put U+FFFD.
        """
        written = self._written
        tokens = [written[i] if i in written else self.tokens[i] or "" for i in ids]
        parts = parts_of(self.components.decoder, "decoders")
        if [part.get("type") for part in parts] == ["ByteLevel"]:
            return b"".join(alphabet.unmap_all(tokens))
        decoder = self._tokenizer(False).decoder
        with self._library("fails to decode these ids", _ON_IDS):
            text: str = " ".join(tokens) if decoder is None else decoder.decode(tokens)
        return text.encode("utf-8")
