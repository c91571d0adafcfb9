"""Links to nothing, pipes and their like in a folder: never opened, and told with the reason."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.errors import CorpusError, ModelError
from engine.files import FILE, FOLDER, in_words, kind_of
from engine.formats import load
from engine.formats.folder import choose
from tests.engine.documents import bpe, write_json
from tests.engine.headless import run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files there")

NOTHING, PIPE = "a link to what isn't there", "a named pipe"
CIRCLE = "a link that leads in a circle"


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[Path]:
    """A folder with entries of every kind; `a` … sorted by name."""
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "a.txt").symlink_to("gone")
    os.mkfifo(folder / "b.txt")
    (folder / "c.txt").symlink_to("c.txt")
    (folder / "d.txt").symlink_to(tmp_path / "text")
    (tmp_path / "text").write_text("a text\n")
    (folder / "e.txt").mkdir()
    here = Path.cwd()
    os.chdir(folder)  # a socket's path is short
    plug = socket.socket(socket.AF_UNIX)
    plug.bind("f.txt")
    os.chdir(here)
    yield folder
    plug.close()


def test_what_is_at_a_path(odd: Path) -> None:
    kinds = {path.name: kind_of(path) for path in sorted(odd.iterdir())}
    assert kinds == {
        "a.txt": NOTHING, "b.txt": PIPE, "c.txt": CIRCLE, "d.txt": FILE, "e.txt": FOLDER,
        "f.txt": "a socket",
    }  # fmt: skip
    assert kind_of(Path(os.devnull)) == "a device"
    assert "No such file" in kind_of(odd / "none")
    assert "Not a directory" in kind_of(odd / "d.txt" / "x")


def test_many_are_listed_in_part() -> None:
    entries = [(Path(f"{i}"), "x") for i in range(1007)]
    assert in_words(entries) == "0 (x), 1 (x), 2 (x), 3 (x), 4 (x) and 1,002 more"
    assert in_words(entries[:5]) == "0 (x), 1 (x), 2 (x), 3 (x), 4 (x)"


def test_a_corpus_says_what_it_leaves_out(odd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = open_corpus(odd)
    assert [language.code for language in corpus] == ["d"]
    said = (
        f"left out of the folder odd: a.txt ({NOTHING}), b.txt ({PIPE}), c.txt ({CIRCLE}), "
        "f.txt (a socket)"
    )
    assert corpus.notes == (said,)
    out = run(capsys, "compare", "everyday-bpe", "--corpus", str(odd))[1]
    assert f"note: {said}\n" in out
    # What isn't named as a text is no business of the corpus, but for its manifest.
    (odd / "g.bin").symlink_to("gone")
    assert open_corpus(odd).notes == (said,)
    (odd / "manifest.json").symlink_to("gone")
    assert f"manifest.json ({NOTHING})" in open_corpus(odd).notes[0]


def test_a_corpus_of_nothing_else_says_so(odd: Path) -> None:
    (odd / "d.txt").unlink()
    with pytest.raises(CorpusError, match=r"no text files; left out: a\.txt \(a link to what"):
        open_corpus(odd)


def test_a_folder_with_a_model_says_what_it_leaves_out(odd: Path) -> None:
    (odd / "spiece.model").symlink_to("gone")
    os.mkfifo(odd / "1")
    write_json(odd, bpe({"a": 0, "b": 1, "ab": 2}, ["a b"]))
    choice = choose(odd)
    assert choice is not None
    # Names as of models first.
    assert [path.name for path, _ in choice.unusable] == [
        "a.txt", "b.txt", "c.txt", "f.txt", "spiece.model", "1",
    ]  # fmt: skip
    model = load(odd)
    assert model.warnings[-1].startswith(f"left out of the folder odd: a.txt ({NOTHING}), b.txt")
    assert f"spiece.model ({NOTHING}) and 1 more" in model.warnings[-1]
    for path, _ in choice.unusable:
        path.unlink()
    assert not any("left out of" in warning for warning in load(odd).warnings)


def error_of(path: Path) -> ModelError:
    with pytest.raises(ModelError) as caught:
        load(path)
    return caught.value


def test_a_folder_whose_model_is_a_link_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "spiece.model").symlink_to("gone")
    error = error_of(tmp_path)
    assert error.what.endswith(f"no model was found in it; left out: spiece.model ({NOTHING})")
    (tmp_path / "tokenizer.json").symlink_to("gone")
    error = error_of(tmp_path)
    assert error.what == "this is a link to a file that isn't there"
    assert error.where == str(tmp_path / "tokenizer.json")
    assert error_of(tmp_path / "spiece.model").what == error.what


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root reads all files")
def test_a_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    write_json(tmp_path, bpe({"a": 0, "b": 1, "ab": 2}, ["a b"]))
    closed = tmp_path / "vocab.txt"
    closed.write_text("[UNK]\n")
    closed.chmod(0)
    assert "vocab.txt (not readable)" in load(tmp_path).warnings[-1]


def test_the_other_of_a_pair_that_is_a_link_to_nothing(tmp_path: Path) -> None:
    path = tmp_path / "vocab.json"
    path.write_text('{"a": 0, "b": 1, "ab": 2}')
    (tmp_path / "merges.txt").symlink_to("gone")
    assert f"looked for merges.txt ({NOTHING}), vocab.bpe in " in error_of(path).remedy
    folder = error_of(tmp_path)
    assert folder.what == "this is a link to a file that isn't there"
    assert folder.where == str(tmp_path / "merges.txt")


def test_a_filter_that_is_a_link_to_nothing(tmp_path: Path) -> None:
    path = tmp_path / "codes"
    path.write_text("#version: 0.2\na b</w>\n")
    (tmp_path / "codes.vocab").symlink_to("gone")
    said = f"no vocabulary filter is used of what lies beside: codes.vocab ({NOTHING})"
    assert load(path).warnings == (said,)
    assert load(path, vocabulary="none").warnings == ()
