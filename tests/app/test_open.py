"""Opening: what a file is, by its content; and nothing lost when one fails."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent

from app.opening import brings_models, kind_of
from app.recent import LIMIT, Recent
from engine import bundled
from engine.errors import SegscopeError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "text.txt").write_text("Hello 세계\n", encoding="utf-8")
    (tmp_path / "odd.json").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "corpus").mkdir()
    for code, line in (("en", "good morning"), ("de", "guten Morgen")):
        (tmp_path / "corpus" / f"{code}.txt").write_text(line + "\n", encoding="utf-8")
    model = bundled.model_path("everyday-unigram").read_bytes()
    (tmp_path / "no-ending").write_bytes(model)
    (tmp_path / "renamed.txt").write_bytes(bundled.model_path("everyday-bpe").read_bytes())
    (tmp_path / "page.model").write_text("<!DOCTYPE html><title>404</title>", encoding="utf-8")
    scene = next(scene.path for scene in bundled.scenes() if scene.name == "weather")
    (tmp_path / "scene.txt").write_bytes(scene.read_bytes())
    (tmp_path / "bad.txt").write_bytes(b"caf\xe9")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("text.txt", "text"), ("corpus", "corpus"), ("no-ending", "model"),
        ("renamed.txt", "model"), ("scene.txt", "scene"), ("page.model", "model"),
        ("odd.json", "model"), ("bad.txt", "text"),
    ],
)  # fmt: skip
def test_the_content_decides(folder, name, kind):
    assert kind_of(folder / name) == kind


@pytest.mark.parametrize("value", ["[" * 30_000, "1" * 5_000], ids=["deep", "digits"])
def test_json_that_cannot_be_read_is_told_by_its_first_field(tmp_path, value):
    path = tmp_path / "file.txt"
    path.write_text(f'{{"segscope": {value}}}', encoding="utf-8")
    assert kind_of(path) == "scene"
    path.write_text(f'{{"a": {value}}}', encoding="utf-8")
    assert kind_of(path) != "scene"


def test_real_models_are_recognised(shared):
    names = [
        "huggingface/gpt2.tokenizer.json", "huggingface/qwen3.tokenizer.json",
        "sentencepiece/bpe_mistral_v1_32k.model", "tiktoken/o200k_base.tiktoken",
        "bytepiece/bytepiece.plus.40k.model",
    ]  # fmt: skip
    from engine.formats import recognised

    for name in names:
        with (shared / "data" / "models" / name).open("rb") as stream:
            assert recognised(stream.read(65536)), name


def test_a_missing_file_is_an_error_that_names_it(folder):
    with pytest.raises(SegscopeError) as error:
        kind_of(folder / "absent.json")
    assert "absent.json" in error.value.where


def test_what_is_named_at_the_start_may_bring_models(folder):
    assert brings_models([folder / "text.txt", folder / "scene.txt"])
    assert brings_models([folder / "no-ending"])
    assert not brings_models([folder / "text.txt", folder / "corpus", folder / "absent"])


def test_files_and_folders_are_dropped_on_the_window(qtbot, make_window, folder):
    window = make_window()
    before = len(window.session.models)
    data = QMimeData()
    names = ("renamed.txt", "text.txt", "corpus")
    data.setUrls([QUrl.fromLocalFile(str(folder / name)) for name in names])
    event = QDropEvent(
        QPointF(400, 300), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    window.dropEvent(event)
    qtbot.waitUntil(lambda: len(window.session.models) == before + 1, timeout=20_000)
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)
    assert window.session.text.string == "Hello 세계\n"
    assert [language.code for language in window.session.corpus] == ["de", "en"]
    assert {path.name for path in window.recent.paths} == set(names)


def test_several_texts_are_a_corpus(qtbot, make_window, folder):
    window = make_window()
    window.opener.open([folder / "corpus" / "en.txt", folder / "corpus" / "de.txt"])
    qtbot.waitUntil(lambda: len(window.session.corpus) == 2, timeout=20_000)
    assert window.session.corpus.parallel is False
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)


@pytest.mark.parametrize("name", ["page.model", "odd.json", "bad.txt", "absent.model", "empty"])
def test_a_file_that_fails_leaves_everything_as_it_was(qtbot, make_window, folder, name):
    (folder / "empty").mkdir()
    window = make_window()
    session = window.session
    before = (session.models, session.active, session.text, session.corpus)
    window.opener.open([folder / name])
    qtbot.waitUntil(lambda: bool(window.messages.banners.messages), timeout=20_000)
    message = window.messages.banners.messages[0]
    assert message.severity == "error"
    assert name in message.where
    assert message.remedy
    assert (session.models, session.active, session.text, session.corpus) == before


def test_broken_files_all_get_a_message(qtbot, make_window, shared):
    window = make_window()
    broken = sorted(p for p in (shared / "data" / "broken").rglob("*") if p.is_file())
    said, begun = [], []

    def seen():
        return len(window.session.models), window.session.text, window.session.corpus, len(said)

    window.session.failed.connect(lambda error, doing: said.append((error, doing)))
    window.session.jobs.changed.connect(lambda: begun.append(True))
    for path in broken:
        before = seen()
        begun.clear()
        window.opener.open([path])
        qtbot.waitUntil(lambda: bool(begun) and not window.session.busy, timeout=60_000)
        assert seen() != before, path
    assert all(isinstance(error, SegscopeError) for error, _ in said)


def test_recent_files_are_newest_first_and_few():
    recent = Recent(["/a", "/b", "/a"])
    assert recent.texts() == ["/a", "/b"]
    recent.add(Path("/b"))
    assert recent.texts() == ["/b", "/a"]
    for number in range(20):
        recent.add(Path(f"/{number}"))
    assert len(recent.paths) == LIMIT
    assert recent.paths[0] == Path("/19")
    recent.forget(Path("/19"))
    assert recent.paths[0] == Path("/18")


def test_a_text_on_the_command_line_keeps_the_bundled_models(qtbot, make_window, folder):
    window = make_window(paths=[folder / "text.txt"])
    qtbot.waitUntil(lambda: window.session.text.string == "Hello 세계\n", timeout=20_000)
    assert len(window.session.models) == 2
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)


def test_a_model_on_the_command_line_stands_alone(qtbot, make_window, folder):
    window = make_window(begin=False)
    window.begin([folder / "no-ending"])
    qtbot.waitUntil(lambda: len(window.session.models) == 1, timeout=20_000)
    assert window.session.models[0].model.algorithm == "unigram"
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("name", ["pipe", "pipe.json"])
def test_a_pipe_is_not_waited_for(qtbot, make_window, tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(SegscopeError, match="it is a named pipe"):
        kind_of(tmp_path / name)
    assert not brings_models([tmp_path / name])
