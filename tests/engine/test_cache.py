"""Parsed models on disk: the same model comes back, and nothing else ever does."""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import engine
from engine import bundled, cache, files
from engine.kernels.folder import cache_folder
from engine.pieces import Vocabulary
from tests.engine import documents

TEXT = "Watching the weather: <s> 今天天气不错 안녕하세요 🌤️ lower"
NAMES = ("everyday-bpe", "everyday-unigram", "everyday-wordpiece", "toy-lower", "toy-weather")


@pytest.fixture(autouse=True)
def caches(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "user_caches", lambda: tmp_path / "caches")
    return tmp_path / "caches" / "models"


def kept(path, **options):
    """Load a model, keep it, and return it with its file."""
    model = engine.load(path, **options)
    file = cache.cached_file(path, options)
    assert file is not None
    assert cache.write_model(file, model)
    return model, file


def same(model, other):
    assert other is not None
    assert np.array_equal(model.encode(TEXT).ids, other.encode(TEXT).ids)
    assert np.array_equal(model.encode(TEXT, "parse").ids, other.encode(TEXT, "parse").ids)
    assert model.encode(TEXT).start.tolist() == other.encode(TEXT).start.tolist()
    assert model.inspect() == other.inspect()
    assert model.warnings == other.warnings
    ids = model.encode(TEXT).ids.tolist()
    assert model.decode(ids) == other.decode(ids)
    before, after = model.lattice("lower 今天"), other.lattice("lower 今天")
    for part in ("start", "end", "piece", "score", "rank", "kind"):
        assert np.array_equal(getattr(before, part), getattr(after, part), equal_nan=True), part


@pytest.mark.parametrize("name", NAMES)
def test_the_model_comes_back_as_it_was(name):
    path = bundled.model_path(name)
    model, file = kept(path)
    again = cache.read_model(file, path)
    same(model, again)
    assert again is not None
    assert again.segmenter.vocabulary is again.vocabulary
    assert (again.name, again.path) == (model.name, model.path)


def test_tiktoken_with_its_options(tmp_path):
    ranks = [bytes([byte]) for byte in range(256)] + [b"lo", b"low"]
    path = documents.write_ranks(tmp_path, ranks)
    options = {"pattern": "gpt2", "specials": {"<s>": 600}}
    model, file = kept(path, **options)
    same(model, cache.read_model(file, path))
    assert cache.cached_file(path, {}) != file
    assert cache.cached_file(path, options | {"pattern": "cl100k"}) != file


def test_the_content_finds_it_and_not_the_name(tmp_path):
    path = bundled.model_path("toy-lower")
    _, file = kept(path)
    copy = tmp_path / "copy.json"
    copy.write_bytes(path.read_bytes())
    assert cache.cached_file(copy, {}) == file
    again = cache.read_model(file, copy)
    assert again is not None
    assert (again.name, again.path) == ("copy.json", copy)
    copy.write_bytes(path.read_bytes() + b" ")
    assert cache.cached_file(copy, {}) != file


def test_another_version_of_the_engine_finds_nothing(monkeypatch):
    path = bundled.model_path("toy-lower")
    _, file = kept(path)
    monkeypatch.setattr(cache, "code_digest", lambda: "another")
    other = cache.cached_file(path, {})
    assert other is not None
    assert other != file
    assert cache.read_model(other, path) is None


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.6, 0.999])
def test_a_file_that_is_damaged_or_cut_is_as_good_as_none(share):
    path = bundled.model_path("toy-weather")
    _, file = kept(path)
    data = file.read_bytes()
    at = int(share * len(data))
    file.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    assert cache.read_model(file, path) is None
    assert not file.exists()
    file.write_bytes(data[:at])
    assert cache.read_model(file, path) is None
    assert not file.exists()


def sealed(tree: bytes, rest: bytes = b"") -> bytes:
    """Return a file of this tree with a digest that is right."""
    body = cache.MAGIC + len(tree).to_bytes(8, "little") + tree + rest
    return body + cache.hashlib.blake2b(body, digest_size=cache.DIGEST).digest()


@pytest.mark.parametrize(
    "tree",
    [
        b"[]",
        b"{}",
        b"not json",
        b'{"record": ["Popen", {"args": ["true"]}]}',
        b'{"record": ["Model", {}]}',
        b'{"record": ["SpecialToken", {"id": 1, "text": "x"}]}',
        b'{"array": ["|O8", 0, 8]}',
        b'{"array": ["<i4", 0, 400]}',
        b'{"array": ["<i4", 0, -8]}',
        b'{"bytes": [1, 4]}',
        b'{"same": 5}',
        b'{"same": "x"}',
        b'{"eval": "1"}',
        b'{"texts": ["tuple", 1, 2]}',
        b'{"dict": [[{"list": []}, 1]]}',
        b'{"record": ["Vocabulary", {"data": 1}], "same": 0}',
        b"[" * 100_000,
    ],
)
def test_what_somebody_wrote_into_the_folder_makes_no_object_of_its_own(tree, tmp_path):
    file = tmp_path / "written.parsed"
    file.write_bytes(sealed(tree, bytes(64)))
    assert cache.read_model(file, bundled.model_path("toy-lower")) is None
    assert not file.exists()


def test_only_models_of_one_file_are_kept(tmp_path):
    model = engine.load(bundled.model_path("toy-lower"))
    file = tmp_path / "x.parsed"
    assert not cache.write_model(file, replace(model, format="gpt2"))
    assert not file.exists()


def test_what_isnt_known_isnt_kept(tmp_path):
    class Own(Vocabulary):
        pass

    model = engine.load(bundled.model_path("toy-lower"))
    v = model.vocabulary
    own = Own(v.data, v.offsets, v.score, v.kind)
    file = tmp_path / "x.parsed"
    assert not cache.write_model(file, replace(model, vocabulary=own))
    assert not cache.write_model(file, replace(model, settings={"x": object()}))
    assert not file.exists()


def test_the_oldest_make_room(monkeypatch, caches):
    path = bundled.model_path("toy-lower")
    model, file = kept(path)
    size = file.stat().st_size
    monkeypatch.setattr(cache, "LIMIT", 3 * size + size // 2)
    files = [file.with_name(f"{place}{cache.ENDING}") for place in range(4)]
    for place, other in enumerate(files):
        other.write_bytes(file.read_bytes())
        os.utime(other, (1000 + place, 1000 + place))
    # Reading is a use.
    assert cache.read_model(files[0], path) is not None
    cache.write_model(file, model)
    assert {f.name for f in caches.iterdir()} == {file.name, files[0].name, files[3].name}


def test_what_dead_processes_left_is_removed(caches):
    path = bundled.model_path("toy-lower")
    model, file = kept(path)
    dead, alive = caches / ".dead.part", caches / ".alive.part"
    for part in (dead, alive):
        part.write_bytes(b"x")
    os.utime(dead, (time.time() - 2 * cache.ABANDONED,) * 2)
    cache.write_model(file, model)
    assert not dead.exists()
    assert alive.exists()


def test_writers_at_the_same_time_leave_a_whole_file(caches):
    path = bundled.model_path("toy-weather")
    model, file = kept(path)

    def work(turn: int) -> bool:
        if turn % 2:
            return cache.write_model(file, model)
        found = cache.read_model(file, path)
        return found is not None and found.inspect() == model.inspect()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(40)))
    assert [f.name for f in caches.iterdir()] == [file.name]


def test_a_folder_that_cant_be_written_is_no_fault(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    monkeypatch.setattr(cache, "user_caches", lambda: blocked)
    path = bundled.model_path("toy-lower")
    file = cache.cached_file(path, {})
    assert file is not None
    assert not cache.write_model(file, engine.load(path))
    assert cache.read_model(file, path) is None
    monkeypatch.setattr(cache, "user_caches", lambda: None)
    assert cache.cached_file(path, {}) is None


def test_a_long_list_of_texts_keeps_holes_and_odd_characters():
    texts = [None if i % 7 == 0 else "\0\ud800é🌤️ab"[i % 5 :] for i in range(cache.MANY + 5)]
    packer = cache._Packer()
    tree = packer.pack(tuple(texts))
    parts = [bytes(8)]
    for array in packer.arrays:
        parts.append(bytes(-sum(map(len, parts)) % cache.ALIGNED))
        parts.append(bytes(array))
    body = memoryview(b"".join(parts))
    assert cache._Unpacker(body, 8).unpack(tree) == tuple(texts)


def one_of_each(folder):
    """Write a model of every format and algorithm that is kept; return path by name."""
    d = documents
    lower = [d.piece(text, -i) for i, text in enumerate(("▁", "l", "o", "w", "lo", "▁low"))]
    every = {
        f"sentencepiece-{kind}": d.sentencepiece(*lower, model_type=number, byte_fallback=True)
        for number, kind in enumerate(("unigram", "bpe", "word", "char"), start=1)
    }
    plain = {"[UNK]": 0, "l": 1, "o": 2, "##o": 3, "lower": 4}
    models = {
        "bpe": d.byte_level_bpe(("l", "o")),
        "unigram": d.tokenizer(
            {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["l", -1], ["lo", -2]]}
        ),
        "wordpiece": d.tokenizer({"type": "WordPiece", "unk_token": "[UNK]", "vocab": plain}),
        "wordlevel": d.tokenizer({"type": "WordLevel", "unk_token": "[UNK]", "vocab": plain}),
    }
    every |= {f"huggingface-{kind}": json.dumps(made).encode() for kind, made in models.items()}
    every["bytepiece-unigram"] = json.dumps(d.bytepiece({b"lo": 5.0})).encode()
    for name, content in every.items():
        (folder / name).write_bytes(content)
    d.write_ranks(folder, [b"lo"], "tiktoken-bpe")
    return {name: folder / name for name in (*every, "tiktoken-bpe")}


def test_every_format_that_is_kept_comes_back(tmp_path):
    paths = one_of_each(tmp_path)
    assert {name.partition("-")[0] for name in paths} == cache.WHOLE_FILES
    for name, path in paths.items():
        model, file = kept(path)
        algorithm = "word" if name == "huggingface-wordlevel" else name.partition("-")[2]
        assert (model.format, model.algorithm) == (name.partition("-")[0], algorithm)
        same(model, cache.read_model(file, path))


def wrong_offsets(change):
    def made(model):
        v = model.vocabulary
        offsets = v.offsets.copy()
        change(offsets)
        return replace(v, offsets=offsets)

    return made


def first_is_one(offsets):
    offsets[0] = 1


def last_is_far(offsets):
    offsets[-1] += 1000


def one_is_back(offsets):
    offsets[5] = offsets[7]


@pytest.mark.parametrize(
    "change",
    [
        wrong_offsets(first_is_one),
        wrong_offsets(last_is_far),
        wrong_offsets(one_is_back),
        lambda model: replace(model.vocabulary, offsets=model.vocabulary.offsets[:-1]),
        lambda model: replace(model.vocabulary, score=model.vocabulary.score[1:]),
        lambda model: replace(model.vocabulary, kind=model.vocabulary.kind.astype(np.int64)),
        lambda model: replace(model.vocabulary, names={b"x": len(model.vocabulary)}),
        lambda model: replace(model.vocabulary, matches=np.ones(3, dtype=np.bool_)),
    ],
)
def test_a_vocabulary_that_doesnt_fit_is_as_good_as_none(tmp_path, change):
    path = one_of_each(tmp_path)["sentencepiece-unigram"]
    model, file = kept(path)
    other = change(model)
    segmenter = replace(model.segmenter, vocabulary=other)
    assert cache.write_model(file, replace(model, vocabulary=other, segmenter=segmenter))
    assert cache.read_model(file, path) is None
    assert not file.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda m: replace(m, spelling=replace(m.spelling, unknown=len(m.vocabulary))),
        lambda m: replace(m, segmenter=replace(m.segmenter, unknown=-2)),
        lambda m: replace(
            m, segmenter=replace(m.segmenter, byte_pieces=np.full(256, 10**6, dtype=np.int32))
        ),
        lambda m: replace(m, spelling=replace(m.spelling, byte_pieces=np.zeros(9, np.int32))),
        lambda m: replace(m, template=((10**6,), ())),
        lambda m: replace(m, pipeline=replace(m.pipeline, specials={"x": 10**6})),
        lambda m: replace(m, segmenter=replace(m.segmenter, vocabulary=replace(m.vocabulary))),
        lambda m: replace(m, segmenter=None),
    ],
)
def test_ids_outside_the_vocabulary_are_as_good_as_none(tmp_path, change):
    path = one_of_each(tmp_path)["sentencepiece-unigram"]
    model, file = kept(path)
    assert cache.write_model(file, change(model))
    assert cache.read_model(file, path) is None
    assert not file.exists()


@pytest.fixture
def fresh_digest():
    cache.code_digest.cache_clear()
    yield cache.code_digest
    cache.code_digest.cache_clear()


@pytest.mark.parametrize("package", ["segscope", "numpy", "tokenizers", "sentencepiece", "regex"])
def test_another_version_of_a_library_finds_nothing(package, fresh_digest, monkeypatch):
    before = fresh_digest()
    fresh_digest.cache_clear()
    real = cache._version
    monkeypatch.setattr(cache, "_version", lambda name: "99" if name == package else real(name))
    assert fresh_digest() not in ("", before)


def test_nothing_is_kept_where_the_code_isnt_found(tmp_path, fresh_digest, monkeypatch):
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "nowhere" / "cache.py"))
    assert fresh_digest() == ""
    assert cache.cached_file(bundled.model_path("toy-lower"), {}) is None


@pytest.mark.skipif(os.name == "nt" or os.uname().sysname == "Darwin", reason="XDG's folders")
def test_a_relative_cache_home_is_ignored(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for named, folder in (
        (str(tmp_path / "xdg"), tmp_path / "xdg"),
        ("relative", tmp_path / ".cache"),
        ("", tmp_path / ".cache"),
    ):
        monkeypatch.setenv("XDG_CACHE_HOME", named)
        assert files.user_caches() == folder / "segscope"
        assert Path(cache_folder()).parent == folder / "segscope"
