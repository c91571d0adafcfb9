"""A converted model has the ids and the cuts of the one it was made of, or there is a reason."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import engine
from engine import bundled
from engine.convert import FORMATS, comparison, convert
from engine.errors import ParameterError
from engine.model import Model
from engine.train.bpe import BpeSettings
from engine.train.save import save
from tests.engine import headless
from tests.engine.trained import lines, scrambled, train
from tests.peers import PEERS, huggingface_peer

CHARACTERS = 1400


def ids(model: Model, texts: Sequence[str]) -> list[list[int]]:
    batch = model.encode_lines(texts)
    return [batch[i].tolist() for i in range(len(batch))]


def texts() -> list[str]:
    return [*lines()[::3], *scrambled()]


def text_of(model: Model) -> list[str]:
    """Texts that the model's own library takes too: subword-nmt's takes lines."""
    if model.format != "subword-nmt":
        return texts()
    return [" ".join(text.split()) for text in lines()[::3]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small model of each format that a trainer here writes, and the bundled ones."""
    folder = tmp_path_factory.mktemp("made")
    settings = BpeSettings(600, "bytes", "gpt2", specials=("<|endoftext|>",))
    found = {model.name: model.path for model in bundled.models()}
    for name, file in (("gpt2", "vocab.json"), ("tiktoken", "m.tiktoken"), ("json", "m.json")):
        save(train(settings), folder / file)
        found[name] = folder / file
    save(train(BpeSettings(CHARACTERS, "characters", "metaspace")), folder / "m.model")
    save(train(BpeSettings(CHARACTERS, "characters", "whitespace", "</w>")), folder / "m.codes")
    found |= {"sentencepiece": folder / "m.model", "codes": folder / "m.codes"}
    return found


def opened(path: Path) -> Model:
    pattern = "gpt2" if path.suffix == ".tiktoken" else None
    return engine.load(path, pattern=pattern)


@pytest.mark.parametrize(
    ("name", "chain"),
    [
        ("json", ("tiktoken", "huggingface")),
        ("json", ("gpt2", "huggingface")),
        ("gpt2", ("tiktoken", "gpt2")),
        ("tiktoken", ("huggingface", "gpt2")),
        ("everyday-bpe", ("tiktoken", "huggingface", "gpt2")),
        ("sentencepiece", ("huggingface", "sentencepiece")),
        ("everyday-unigram", ("huggingface", "sentencepiece")),
        ("everyday-wordpiece", ("bert", "huggingface")),
        ("toy-weather", ("huggingface",)),
        ("codes", ("huggingface", "subword-nmt")),
    ],
)
def test_ids_and_cuts_stay_through_other_formats(
    made: dict[str, Path], name: str, chain: Sequence[str], tmp_path: Path
) -> None:
    first = model = opened(made[name])
    for step, target in enumerate(chain):
        folder = tmp_path / str(step)
        folder.mkdir()
        path = folder / "vocab.json" if target == "gpt2" else folder / f"own{_ending(target)}"
        assert convert(model, path)[0] == target
        model = opened(path)
        assert model.format == target
        given = text_of(first)
        found = ids(model, given)
        if name != "codes":  # their unknown tokens are two, and one there
            assert found == ids(first, given)
            peer = PEERS[target](path) if target != "tiktoken" else None
            if peer is not None:
                assert found == peer.encode(given)
    for i in np.flatnonzero(first.vocabulary.matchable).tolist():
        assert model.vocabulary.text(i) == first.vocabulary.text(i)


def _ending(name: str) -> str:
    return FORMATS[name].endings[0]


def test_codes_give_the_librarys_pieces_in_a_tokenizer_json(
    made: dict[str, Path], tmp_path: Path
) -> None:
    _, notes = convert(opened(made["codes"]), tmp_path / "own.json")
    given = text_of(opened(made["codes"]))
    own = [
        [0 if i == 1 else i for i in row]
        for row in PEERS["subword-nmt"](made["codes"]).encode(given)
    ]
    assert huggingface_peer(tmp_path / "own.json").encode(given) == own
    assert any("codes give no ids" in note for note in notes)


@pytest.mark.parametrize(
    ("name", "target", "reason"),
    [
        ("json", "sentencepiece", "is of characters, and this model is of bytes"),
        ("json", "bert", "a vocab.txt is of WordPiece, and this model is bpe"),
        ("json", "subword-nmt", "codes are of characters, and this model is of bytes"),
        ("json", "bytepiece", "holds the frequencies of its pieces, which merges don't tell"),
        ("json", "huggingface", "the model is in the format huggingface already"),
        ("sentencepiece", "tiktoken", "is of bytes, and this model is of characters"),
        ("sentencepiece", "subword-nmt", "this model has no mark"),
        ("everyday-unigram", "gpt2", "is of merges, and this is a unigram model"),
        ("toy-weather", "sentencepiece", "is of characters, and this model is of bytes"),
        ("toy-watching", "sentencepiece", "has an unknown token, and this model has none"),
        ("toy-lower", "sentencepiece", "this model's pre-tokenizer is WhitespaceSplit"),
    ],
)
def test_what_a_format_cannot_hold_is_the_reason(
    made: dict[str, Path], name: str, target: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError) as caught:
        convert(opened(made[name]), tmp_path / "own", target)
    assert reason in caught.value.what
    assert caught.value.remedy
    assert list(tmp_path.iterdir()) == []


def changed(path: Path, folder: Path, change) -> Model:
    """Return a tokenizer.json with something else in it."""
    values = json.loads(path.read_text(encoding="utf-8"))
    change(values)
    (folder / "changed.json").write_text(json.dumps(values), encoding="utf-8")
    return engine.load(folder / "changed.json")


def _swap_ids(values) -> None:
    vocab = values["model"]["vocab"]
    left, right = values["model"]["merges"][3], values["model"]["merges"][40]
    one, two = "".join(left), "".join(right)
    vocab[one], vocab[two] = vocab[two], vocab[one]


def _orphan(values) -> None:
    values["model"]["merges"].pop(200)


def _normalize(values) -> None:
    values["normalizer"] = {"type": "NFC"}


def _prefix_space(values) -> None:
    values["pre_tokenizer"]["pretokenizers"][-1]["add_prefix_space"] = True


def _own_pattern(values) -> None:
    values["pre_tokenizer"]["pretokenizers"][0]["pattern"] = {"Regex": r"\p{L}+"}


def _plain_token(values) -> None:
    values["added_tokens"][0]["special"] = False


def _special_merge(values) -> None:
    made = (left + right for left, right in values["model"]["merges"])
    text = next(text for text in made if text.isascii())
    token = {"id": values["model"]["vocab"][text], "content": text}
    values["added_tokens"].append({**values["added_tokens"][0], **token})


def _no_byte(values) -> None:
    del values["model"]["vocab"]["Ā"]


def _other_pattern(values) -> None:
    pattern = r"\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+"
    values["pre_tokenizer"]["pretokenizers"][0]["pattern"] = {"Regex": pattern}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_swap_ids, "it would merge otherwise: the piece"),
        (_orphan, "which no listed merge joins"),
        (_normalize, "holds no normalizer, and this model has NFC"),
        (_prefix_space, "puts no space before the text"),
        (_own_pattern, "splits text by one pattern, and this model's pre-tokenizer is Split"),
        (_special_merge, "would be made by no merge"),
        (_no_byte, "the byte 0x00 has no piece: this model leaves it out"),
        (_plain_token, "no tokens that are looked for in plain text, and this model has"),
    ],
)
def test_what_would_be_cut_otherwise_as_ranks_is_refused(
    made: dict[str, Path], change, reason: str, tmp_path: Path
) -> None:
    model = changed(made["json"], tmp_path, change)
    with pytest.raises(ParameterError, match=reason):
        convert(model, tmp_path / "own.tiktoken")
    assert not (tmp_path / "own.tiktoken").exists()


def test_a_pattern_of_its_own_goes_with_ranks_but_not_with_a_pair(
    made: dict[str, Path], tmp_path: Path
) -> None:
    model = changed(made["json"], tmp_path, _other_pattern)
    _, notes = convert(model, tmp_path / "own.tiktoken")
    pattern = r"\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+"
    assert f"the split pattern isn't in the file: it is {pattern}" in notes
    again = engine.load(tmp_path / "own.tiktoken", pattern=pattern, specials={"<|endoftext|>": 599})
    assert ids(again, texts()) == ids(model, texts())
    with pytest.raises(ParameterError, match="doesn't hold a split pattern"):
        convert(model, tmp_path / "vocab.json")
    convert(again, tmp_path / "again.json")
    assert huggingface_peer(tmp_path / "again.json").encode(texts()) == ids(model, texts())


def ranks(*pieces: bytes) -> bytes:
    listed = [*(bytes((i,)) for i in range(256)), *pieces]
    return b"".join(base64.b64encode(p) + b" %d\n" % i for i, p in enumerate(listed))


def test_pieces_that_no_two_others_make_are_met_as_whole_pre_tokens_only(tmp_path: Path) -> None:
    (tmp_path / "own.tiktoken").write_bytes(ranks(b"-:", b":-", b"-:-:", b"abc"))
    model = engine.load(tmp_path / "own.tiktoken", pattern="none")
    convert(model, tmp_path / "own.json")
    other = engine.load(tmp_path / "own.json")
    given = ["-:-:", "x-:-:", "abc", "xabc", ":-:-:-", "a-:b"]
    assert ids(other, given) == ids(model, given)
    assert huggingface_peer(tmp_path / "own.json").encode(given) == ids(model, given)
    assert ids(other, ["abc", "xabc"]) == [[259], [120, 97, 98, 99]]
    merges = json.loads((tmp_path / "own.json").read_text(encoding="utf-8"))["model"]["merges"]
    assert merges == [["-", ":"], [":", "-"], ["-:", "-:"]]
    (tmp_path / "own.tiktoken").write_bytes(ranks(b"abc"))
    model = engine.load(tmp_path / "own.tiktoken", pattern="gpt2")
    with pytest.raises(ParameterError, match="'abc' can only be met as a whole pre-token"):
        convert(model, tmp_path / "vocab.json")


def test_ids_of_special_tokens_behind_a_gap_stay(tmp_path: Path) -> None:
    (tmp_path / "own.tiktoken").write_bytes(ranks(b"ab"))
    model = engine.load(
        tmp_path / "own.tiktoken", pattern="cl100k", specials={"<|end|>": 300, "<|two|>": 280}
    )
    convert(model, tmp_path / "own.json")
    from tokenizers import Tokenizer

    peer = Tokenizer.from_file(str(tmp_path / "own.json"))
    assert peer.encode("ab<|end|>a<|two|>").ids == [256, 300, 97, 280]


def test_what_differs_on_reading_again_is_refused(made: dict[str, Path], monkeypatch) -> None:
    model = opened(made["json"])
    data = FORMATS["tiktoken"].write(model).files[0]
    comparison.compare(model, "tiktoken", [data])
    lines = data.splitlines(keepends=True)
    for wrong, reason in (
        (lines[:-1], "the id 598 would be of no piece, not of"),
        ([*lines[:300], b"!\n"], "what is written can't be read again"),
    ):
        with pytest.raises(ParameterError, match=reason):
            comparison.compare(model, "tiktoken", [b"".join(wrong)])
    monkeypatch.setattr(comparison, "pattern_of", lambda *_: "cl100k")
    with pytest.raises(ParameterError, match="would be cut otherwise"):
        comparison.compare(model, "tiktoken", [data])


def test_the_command(capsys, made: dict[str, Path], tmp_path: Path) -> None:
    output = tmp_path / "own.json"
    arguments = ["convert", str(made["tiktoken"]), str(output), "--pattern", "gpt2"]
    document = headless.document(capsys, *arguments)
    assert document["format"] == "tiktoken"
    assert document["output_format"] == "huggingface"
    assert document["vocab_size"] == 599
    code, out, _ = headless.run(capsys, *arguments)
    assert code == 0
    assert f"{output}: huggingface, 599 pieces" in out
    error = headless.fault(capsys, "convert", "bundled:toy-lower", str(tmp_path / "x.tiktoken"))
    assert "a rank file is of bytes, and this model is of characters" in error
    error = headless.fault(capsys, "convert", str(output), str(output), "--format", "tiktoken")
    assert "would be written over the old one" in error
    pair = made["gpt2"]
    beside = str(pair.with_name("merges.txt"))
    error = headless.fault(capsys, "convert", str(pair), beside, "--format", "huggingface")
    assert "would be written over the old one" in error
    named_like_one = tmp_path / "vocab.json"
    named_like_one.write_bytes(output.read_bytes())
    error = headless.fault(capsys, "convert", str(named_like_one), str(tmp_path))
    assert "would be written over the old one" in error
    assert named_like_one.read_bytes() == output.read_bytes()
    error = headless.fault(capsys, "convert", str(output), str(tmp_path / "no" / "x.tiktoken"))
    assert "there is no such folder" in error
    error = headless.fault(capsys, "convert", str(output), str(tmp_path / "x.odd"))
    assert "the name doesn't tell the format" in error
