"""The headless contract's manners: where text comes from, exit codes, one line for every fault."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import cli
from engine.jsonfile import plain
from tests.engine.headless import document, fault, run, stdin_of

ROOT = Path(__file__).resolve().parents[2]


# Where the text comes from


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"a\r\nb\r\n", b"\xef\xbb\xbfa", b"a\0b", "a\u2028b😀".encode()]
)
def test_the_bytes_of_a_text_are_kept(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    data: bytes,
) -> None:
    path = tmp_path / "text"
    path.write_bytes(data)
    from_file = document(capsys, "encode", "everyday-bpe", "--file", str(path))
    assert "".join(token["bytes"] for token in from_file["tokens"]) == data.hex()
    for options in ([], ["--file", "-"]):
        stdin_of(monkeypatch, data)
        assert document(capsys, "encode", "everyday-bpe", *options) == from_file
    if b"\0" not in data:
        assert document(capsys, "encode", "everyday-bpe", "--text", data.decode()) == from_file


def test_texts_that_are_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"ok\nb\xffd")
    assert "line 2" in fault(capsys, "encode", "toy-lower", "--file", str(path))
    assert "can't be read" in fault(capsys, "encode", "toy-lower", "--file", str(tmp_path))
    assert "can't be read" in fault(capsys, "encode", "toy-lower", "--file", str(path / "x"))
    assert "surrogate U+D800" in fault(capsys, "encode", "toy-lower", "--text", "a\ud800")
    # The shell's byte 0xFF comes as U+DCFF.
    assert "UTF-8" in fault(capsys, "encode", "toy-lower", "--text", "a\udcff")
    stdin_of(monkeypatch, b"\xff")
    assert "standard input" in fault(capsys, "encode", "toy-lower")
    fault(capsys, "encode", "toy-lower", "--text", "a", "--file", "b")


# Common manners


def test_faults_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    fault(capsys)
    fault(capsys, "frobnicate")
    fault(capsys, "encode")
    fault(capsys, "encode", "toy-lower", "--frob")
    # Commands and options of later versions aren't there yet.
    fault(capsys, "train", "bpe")
    fault(capsys, "sample", "toy-watching", "--text", "a", "--dropout", "0.1")
    assert "everyday-bpe" in fault(capsys, "inspect", "no\nsuch\nfile")


def test_help_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    for name in ("inspect", "encode", "decode", "lattice", "merges", "sample", "compare", "bench"):
        assert name in out
    assert run(capsys, "sample", "--help")[0] == 0


def test_an_unexpected_failure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Panic(BaseException):
        pass

    def fail(*_: Any) -> Any:
        raise Panic("two\nlines")

    monkeypatch.setattr("engine.commands.models.open_model", fail)
    err = fault(capsys, "inspect", "toy-lower", code=1)
    assert "Panic: two lines" in err
    assert "--debug" in err
    for argv in (["inspect", "toy-lower", "--debug"], ["--debug", "inspect", "toy-lower"]):
        assert cli.main(argv) == 1
        assert "Traceback" in capsys.readouterr().err


def test_interrupted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.commands.models.open_model", interrupted)
    code, out, err = run(capsys, "inspect", "toy-lower")
    assert (code, out, err) == (130, "", "")


def test_a_process_speaks_utf8_in_any_locale(tmp_path: Path) -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONIOENCODING", None)
    command = [sys.executable, "-m", "engine"]
    done = subprocess.run(
        [*command, "lattice", "toy-weather", "--json"],
        input="今天".encode(),
        capture_output=True,
        env=environment,
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout.decode("utf-8"))["viterbi"]["pieces"] == ["今天"]
    assert "今天".encode() in done.stdout
    done = subprocess.run(
        [*command, "inspect", "ä"], capture_output=True, env=environment, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1


def test_models_of_every_kind(capsys: pytest.CaptureFixture[str], shared: Path) -> None:
    models = shared / "data" / "models"
    for name, form, algorithm in (
        ("huggingface/gpt2.tokenizer.json", "huggingface", "bpe"),
        ("sentencepiece/unigram_en_1k.model", "sentencepiece", "unigram"),
        ("bytepiece/bytepiece.plus.40k.model", "bytepiece", "unigram"),
        ("tiktoken/r50k_base.tiktoken", "tiktoken", "bpe"),
        ("huggingface/bert_base_cased.tokenizer.json", "huggingface", "wordpiece"),
    ):
        facts = document(capsys, "inspect", str(models / name))
        assert (facts["format"], facts["algorithm"]) == (form, algorithm)
        encoded = document(capsys, "encode", str(models / name), "--text", "hello")
        assert encoded["n_tokens"] == len(encoded["ids"]) > 0
        ids = ",".join(map(str, encoded["ids"]))
        assert document(capsys, "decode", str(models / name), "--ids", ids)["text"] == "hello"
    gpt2 = document(
        capsys, "merges", str(models / "huggingface/gpt2.tokenizer.json"), "--text", "lower"
    )
    assert [step["rank"] for step in gpt2["steps"]] == [7, 66, 533, 20781]


def test_rank_files_need_a_pattern(
    capsys: pytest.CaptureFixture[str], shared: Path, tmp_path: Path
) -> None:
    ranks = str(shared / "data" / "models" / "bench" / "bpe32k.tiktoken")
    assert any("pattern" in w for w in document(capsys, "inspect", ranks)["warnings"])
    specials = tmp_path / "specials.json"
    specials.write_text('{"<end>": 40000}')
    options = ("--pattern", "cl100k", "--specials", str(specials))
    facts = document(capsys, "inspect", ranks, *options)
    assert facts["special_tokens"] == [{"id": 40000, "text": "<end>"}]
    assert not any("pattern" in warning for warning in facts["warnings"])
    number = "1" * 5_000
    broken = ("[]", "{", '{"a": -1}', '{"a": "1"}', '{"a": true}', "[" * 100_000)
    for bad in (*broken, f'{{"a": {number}}}', f'{{"a": {number[1_000:]}}}', '{"\\ud800": 40000}'):
        specials.write_text(bad)
        fault(capsys, "inspect", ranks, *options)
    fault(capsys, "inspect", ranks, "--pattern", "[")
    fault(capsys, "inspect", "toy-lower", "--pattern", "gpt2")


def test_a_corpus_with_a_broken_list_is_bad_input(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "en.txt").write_text("a\n", encoding="utf-8")
    command = ("compare", "toy-lower", "--corpus", str(tmp_path))
    (tmp_path / "index.tsv").write_text("name\tcode\nfoo\n", encoding="utf-8")
    assert "index.tsv: line 2" in fault(capsys, *command)
    (tmp_path / "manifest.json").write_text("[" * 100_000, encoding="utf-8")
    assert "nested too deeply" in fault(capsys, *command)


def test_broken_models_give_one_line(capsys: pytest.CaptureFixture[str], shared: Path) -> None:
    seen = 0
    for path in sorted((shared / "data" / "broken").iterdir()):
        code = cli.main(["encode", str(path), "--text", "aaa ab", "--json"])
        out, err = capsys.readouterr()
        assert code in (0, 2), path.name
        if code:
            seen += 1
            assert out == ""
            assert err.startswith("segscope: error: "), path.name
            assert err.count("\n") == 1, path.name
            assert path.name in err, path.name
        else:
            assert json.loads(out)["n_bytes"] == 6
    assert seen > 10


def test_edge_texts(capsys: pytest.CaptureFixture[str], shared: Path) -> None:
    for path in sorted((shared / "data" / "edge").glob("*.txt")):
        if "100k" in path.name or path.name == "blns.txt":
            continue
        for model in ("everyday-bpe", "everyday-unigram", "everyday-wordpiece", "toy-weather"):
            code, out, err = run(capsys, "encode", model, "--file", str(path), "--json")
            if path.name == "invalid_utf8.txt":
                assert (code, out) == (2, "")
                assert path.name in err
            else:
                assert (code, err) == (0, "")
                assert json.loads(out)["n_bytes"] == path.stat().st_size


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(text=st.text(max_size=12))
def test_any_text_gets_an_answer(capsys: pytest.CaptureFixture[str], text: str) -> None:
    for model in ("everyday-bpe", "everyday-unigram", "toy-lower", "toy-weather"):
        for command in ("encode", "lattice"):
            code, out, err = run(capsys, command, model, f"--text={text}")
            assert (code, err) == (0, "")
            assert out.endswith("\n")
    svg = run(capsys, "lattice", "everyday-unigram", f"--text={text}", "--format", "svg")
    assert svg[0] == 0


def test_plain_data() -> None:
    import numpy as np

    data = {"a": float("nan"), "b": [np.float64("inf"), np.int32(3)], 1: np.array([[1.5]])}
    assert plain(data) == {"a": None, "b": [None, 3], "1": [[1.5]]}


def test_a_pattern_is_for_the_rank_files_among_the_models(
    capsys: pytest.CaptureFixture[str], shared: Path, tmp_path: Path
) -> None:
    ranks = str(shared / "data" / "models" / "bench" / "bpe32k.tiktoken")
    (tmp_path / "en.txt").write_text("It's 2026, isn't it?\n")
    argv = ("compare", "toy-lower", ranks, "--corpus", str(tmp_path))
    plain = document(capsys, *argv)["rows"]
    split = document(capsys, *argv, "--pattern", ".")["rows"]
    assert plain[0] == split[0]
    assert plain[1]["tokens"] < split[1]["tokens"] == split[1]["chars"]


def test_a_reader_that_goes_early() -> None:
    command = [sys.executable, "-m", "engine", "encode", "everyday-bpe"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stdin is not None
        process.stdin.write(b"the weather " * 20_000)
        process.stdin.close()
        assert process.stderr is not None
        said = process.stderr.read()
    assert process.returncode == 1
    assert said == b""


def test_streams_that_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as closed:
        for name in ("stdin", "stdout", "stderr"):
            closed.setattr(sys, name, None)
        assert cli.main(["encode", "toy-watching", "--text", "watching"]) == 0
        assert cli.main(["encode", "toy-watching"]) == 2
        for stream in (sys.stdout, sys.stderr):
            stream.close()


def test_bench(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("lower newer wider\n" * 50)
    argv = ("bench", "--model", "toy-lower", "--text", str(text))
    result = document(capsys, *argv)
    assert (result["lines"], result["bytes"]) == (50, 50 * 17)
    first = result["rows"][0]
    assert (first["name"], first["peer"]) == ("encode", "tokenizers")
    assert first["ratio"] == pytest.approx(first["peer_seconds"] / first["seconds"])
    out = run(capsys, *argv)[1]
    assert "times as fast" in out
    assert "50 lines, 850 bytes" in out
    text.write_bytes(b"\xff")
    fault(capsys, *argv)
