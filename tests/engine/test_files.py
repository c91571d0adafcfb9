"""Files that are replaced when complete: pipes behind links, and the path in a fault."""

from __future__ import annotations

import errno
import os
import sys
import threading
from pathlib import Path

import pytest

from engine.files import replacing


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
def test_a_pipe_is_written_as_it_is(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with replacing(pipe) as stream:
        stream.write(b"all of it")
    reader.join()
    assert read == [b"all of it"]
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files have no names here")
def test_a_link_to_a_pipe_without_a_path() -> None:
    # What /dev/stdout is where the output goes to another program.
    receiver, sender = os.pipe()
    with replacing(f"/proc/self/fd/{sender}") as stream:
        stream.write(b"all of it")
    os.close(sender)
    assert os.read(receiver, 100) == b"all of it"
    os.close(receiver)


def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("before")
    with pytest.raises(OSError, match="No space left") as caught, replacing(path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.filename == str(path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_fault_that_names_another_file_keeps_its_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught, replacing(tmp_path / "out"):
        (tmp_path / "missing").read_bytes()
    assert caught.value.filename == str(tmp_path / "missing")
