"""Running headless commands in this process."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from engine import cli

ROOT = Path(__file__).resolve().parents[2]


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = cli.main(list(argv))
    out, err = capsys.readouterr()
    return code, out, err


def document(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    code, out, err = run(capsys, *argv, "--json")
    assert (code, err) == (0, "")
    assert out.endswith("\n")
    assert out.count("\n") == 1
    return json.loads(out)


def fault(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 2) -> str:
    got, out, err = run(capsys, *argv)
    assert got == code
    assert out == ""
    assert err.startswith("segscope: error: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    return err


def stdin_of(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))
