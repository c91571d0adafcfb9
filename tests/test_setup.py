"""The set-up command, on machines that are made up: what it says, runs and returns."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from app import setup

pytestmark = pytest.mark.skipif(
    not hasattr(socket, "AF_UNIX"), reason="the made-up machines are Linux ones"
)


class FakeMachine(setup.Machine):
    """A Debian with everything in place and a display; tests take things away."""

    def __init__(self) -> None:
        self.platform = "linux"
        self.python = "/usr/bin/python3"
        self.version = (3, 11)
        self.env = {"DISPLAY": ":0"}
        self.root = True
        self.programs = {"apt-get": "/usr/bin/apt-get"}
        self.silent_success = True
        self.lacking: set[str] = set()  # sonames, modules, "font"
        self.font_files = {"DejaVuSans.ttf", "LiberationSans.ttf"}
        self.apt_brings = True
        self.exit_codes: dict[str, int] = {}  # by a word of the command
        self.sockets: set[str | tuple[str, int]] = {"/tmp/.X11-unix/X0"}
        self.said: list[str] = []
        self.ran: list[list[str]] = []
        self.became: tuple[list[str], dict[str, str]] | None = None

    def say(self, line: str) -> None:
        self.said.append(line)

    def is_root(self) -> bool:
        return self.root

    def which(self, program: str) -> str | None:
        return self.programs.get(program)

    def has_module(self, name: str) -> bool:
        return name not in self.lacking

    def has_library(self, soname: str) -> bool:
        return soname not in self.lacking

    def fonts(self) -> set[str]:
        return set() if "font" in self.lacking else self.font_files

    def can_connect(self, family: int, address: str | tuple[str, int]) -> bool:
        assert (family == socket.AF_INET) == isinstance(address, tuple)
        return address in self.sockets

    def succeeds(self, command: list[str]) -> bool:
        return self.silent_success

    def run(self, command: list[str], env: dict[str, str] | None = None) -> int:
        self.ran.append(command)
        for word, code in self.exit_codes.items():
            if word in command:
                return code
        if "install" in command and "apt-get" in command and self.apt_brings:
            self.lacking.clear()
        if "venv" in command:
            python = setup.venv_python(Path(command[-1]), self.platform)
            python.parent.mkdir(parents=True, exist_ok=True)
            python.touch()
        return 0

    def become(self, command: list[str], env: dict[str, str]) -> int:
        self.became = (command, env)
        return 0


@pytest.fixture
def machine() -> FakeMachine:
    return FakeMachine()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    return tmp_path


def error_line(capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one line on standard error."""
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("segscope: error: ")
    return lines[0]


def test_first_run_makes_the_environment_and_starts_the_window(
    machine: FakeMachine, checkout: Path
) -> None:
    assert setup.main(["run", "open", "a.model"], machine, checkout) == 0
    python = str(checkout / ".venv/bin/python")
    assert machine.ran[0] == ["/usr/bin/python3", "-m", "venv", str(checkout / ".venv")]
    assert machine.ran[1][:3] == [python, "-m", "pip"]
    assert machine.ran[1][-2:] == ["--editable", str(checkout)]
    assert len(machine.ran) == 2
    assert machine.became == ([python, "-m", "app", "open", "a.model"], {"DISPLAY": ":0"})


def test_second_run_installs_nothing(machine: FakeMachine, checkout: Path) -> None:
    setup.main(["run"], machine, checkout)
    machine.ran.clear()
    assert setup.main(["run"], machine, checkout) == 0
    assert machine.ran == []


@pytest.mark.parametrize(
    ("first", "second", "target"),
    [("run", "test", "[test]"), ("test", "dev", "[dev,test]"), ("test", "run", None)],
)
def test_extras_are_added_and_kept(
    machine: FakeMachine, checkout: Path, first: str, second: str, target: str | None
) -> None:
    setup.main([first], machine, checkout)
    machine.ran.clear()
    assert setup.main([second], machine, checkout) == 0
    if target is None:
        assert machine.ran == []
    else:
        assert [command[-1] for command in machine.ran] == [f"{checkout}{target}"]


def test_dev_holds_what_the_tests_need(machine: FakeMachine, checkout: Path) -> None:
    setup.main(["dev"], machine, checkout)
    machine.ran.clear()
    setup.main(["test"], machine, checkout)
    assert machine.ran == []


def test_changed_pyproject_installs_again_into_the_same_environment(
    machine: FakeMachine, checkout: Path
) -> None:
    setup.main(["test"], machine, checkout)
    (checkout / "pyproject.toml").write_text("[project]\nname='x'\n", encoding="utf-8")
    machine.ran.clear()
    setup.main(["run"], machine, checkout)
    assert [command[-1] for command in machine.ran] == [f"{checkout}[test]"]


def test_another_python_makes_the_environment_anew(machine: FakeMachine, checkout: Path) -> None:
    setup.main(["run"], machine, checkout)
    old = checkout / ".venv" / "old"
    old.touch()
    machine.version = (3, 13)
    machine.ran.clear()
    setup.main(["run"], machine, checkout)
    assert machine.ran[0][1:3] == ["-m", "venv"]
    assert not old.exists()


def test_interrupted_installation_is_taken_up_again(machine: FakeMachine, checkout: Path) -> None:
    machine.exit_codes = {"pip": 1}
    assert setup.main(["run"], machine, checkout) == 2
    machine.exit_codes = {}
    machine.ran.clear()
    assert setup.main(["run"], machine, checkout) == 0
    assert [command[2] for command in machine.ran] == ["pip"]


def test_foreign_environment_is_left_alone(
    machine: FakeMachine, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / ".venv").mkdir()
    mine = checkout / ".venv" / "pyvenv.cfg"
    mine.touch()
    assert setup.main(["run"], machine, checkout) == 2
    assert "SEGSCOPE_VENV" in error_line(capsys)
    assert mine.exists()
    assert machine.ran == []
    machine.env["SEGSCOPE_VENV"] = str(checkout / "elsewhere")
    assert setup.main(["run"], machine, checkout) == 0
    assert machine.became is not None
    assert machine.became[0][0] == str(checkout / "elsewhere/bin/python")


def test_tests_run_without_a_screen_unless_told(machine: FakeMachine, checkout: Path) -> None:
    del machine.env["DISPLAY"]
    assert setup.main(["test", "-x", "-q"], machine, checkout) == 0
    assert machine.became is not None
    command, env = machine.became
    assert command[1:] == ["-m", "pytest", "-x", "-q"]
    assert env["QT_QPA_PLATFORM"] == "offscreen"
    machine.env = {"SEGSCOPE_TEST_PLATFORM": "xcb", "DISPLAY": ":0"}
    assert setup.main(["test"], machine, checkout) == 0
    assert machine.became[1]["QT_QPA_PLATFORM"] == "xcb"


def test_root_installs_what_is_missing(machine: FakeMachine, checkout: Path) -> None:
    machine.lacking = {"ensurepip", "libEGL.so.1", "libxcb-cursor.so.0", "font"}
    assert setup.main(["run"], machine, checkout) == 0
    assert machine.ran[0][-3:] == ["apt-get", "update", "-qq"]
    assert "sudo" not in machine.ran[1]
    packages = [word for word in machine.ran[1] if word[-1].isdigit() or "-" in word[1:]]
    for name in ("python3.11-venv", "libegl1", "libxcb-cursor0", "fonts-dejavu-core"):
        assert name in packages
    assert "libgl1" not in packages
    assert machine.said[0] == (
        "installing system packages: python3.11-venv libegl1 libxcb-cursor0 fonts-dejavu-core "
        "fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji"
    )


@pytest.mark.parametrize("command", [["test"], ["run", "inspect", "a.model"], ["dev"]])
def test_libraries_of_a_window_are_not_asked_for_without_one(
    machine: FakeMachine, checkout: Path, command: list[str]
) -> None:
    machine.lacking = set(setup.X_WINDOW)
    machine.env = {}
    assert setup.main(command, machine, checkout) == 0
    assert not any("apt-get" in ran for ran in machine.ran)


def test_a_file_opens_the_window_and_needs_its_libraries(
    machine: FakeMachine, checkout: Path
) -> None:
    machine.lacking = {"libxcb-cursor.so.0"}
    assert setup.main(["run", "absent.model"], machine, checkout) == 0
    assert "libxcb-cursor0" in machine.ran[1]


def test_fonts_of_many_scripts_come_with_a_window_only(machine: FakeMachine) -> None:
    machine.font_files = {"DejaVuSans.ttf", "DejaVuSans-Bold.ttf"}
    assert setup.missing_packages(machine, window=True) == setup.SCRIPT_FONTS
    assert setup.missing_packages(machine, window=False) == {}


def test_fonts_alone_are_no_reason_to_touch_the_system(
    machine: FakeMachine, checkout: Path
) -> None:
    machine.font_files = {"DejaVuSans.ttf"}
    assert setup.main(["run"], machine, checkout) == 0
    assert not any("apt-get" in ran for ran in machine.ran)


def test_wayland_needs_other_libraries(machine: FakeMachine) -> None:
    machine.lacking = {"libwayland-client.so.0", "libxcb-cursor.so.0"}
    machine.env = {"WAYLAND_DISPLAY": "wayland-0"}
    assert set(setup.missing_packages(machine, window=True)) == {"libwayland-client0"}


def test_sudo_without_password_is_used(machine: FakeMachine, checkout: Path) -> None:
    machine.root = False
    machine.programs["sudo"] = "/usr/bin/sudo"
    machine.lacking = {"libGL.so.1"}
    assert setup.main(["run"], machine, checkout) == 0
    assert machine.ran[1][:2] == ["sudo", "-n"]
    assert "libgl1" in machine.ran[1]


@pytest.mark.parametrize("has_sudo", [True, False])
def test_others_get_the_command_in_one_line(
    machine: FakeMachine, checkout: Path, capsys: pytest.CaptureFixture[str], has_sudo: bool
) -> None:
    machine.root = False
    if has_sudo:
        machine.programs["sudo"] = "/usr/bin/sudo"
        machine.silent_success = False  # it asks for a password
    machine.lacking = {"libGL.so.1", "ensurepip"}
    assert setup.main(["run"], machine, checkout) == 2
    line = error_line(capsys)
    assert "sudo apt-get install" in line
    assert line.endswith(" python3.11-venv libgl1")
    assert machine.ran == []


def test_other_linux_gets_the_names_of_the_libraries(
    machine: FakeMachine, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.programs = {}
    machine.lacking = {"libGL.so.1", "font"}
    assert setup.main(["test"], machine, checkout) == 2
    assert "libGL.so.1, a font;" in error_line(capsys)


def test_apt_that_fails_ends_in_one_line(
    machine: FakeMachine, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.lacking = {"libGL.so.1"}
    machine.apt_brings = False
    assert setup.main(["run"], machine, checkout) == 2
    assert "libgl1 (libGL.so.1)" in error_line(capsys)


@pytest.mark.parametrize("version", [(3, 10), (3, 14)])
def test_unsupported_python_ends_in_one_line(
    machine: FakeMachine,
    checkout: Path,
    capsys: pytest.CaptureFixture[str],
    version: tuple[int, int],
) -> None:
    machine.version = version
    assert setup.main(["run"], machine, checkout) == 2
    line = error_line(capsys)
    assert "3.11 to 3.13" in line
    assert f"this is 3.{version[1]};" in line
    assert machine.became is None


def test_unsupported_python_hands_over_to_a_supported_one(
    machine: FakeMachine, checkout: Path
) -> None:
    machine.version = (3, 14)
    machine.programs |= {"python3.11": "/usr/bin/python3.11", "python3.12": "/usr/bin/python3.12"}
    assert setup.main(["test", "-q"], machine, checkout) == 0
    assert machine.became is not None
    assert machine.became[0] == ["/usr/bin/python3.12", "-m", "app.setup", "test", "-q"]


@pytest.mark.parametrize(
    ("env", "sockets", "works"),
    [
        ({}, set(), False),
        ({"DISPLAY": ":0"}, {"/tmp/.X11-unix/X0"}, True),
        ({"DISPLAY": ":0.0"}, {"\0/tmp/.X11-unix/X0"}, True),
        ({"DISPLAY": ":7"}, {"/tmp/.X11-unix/X0"}, False),
        ({"DISPLAY": "localhost:10.0"}, {("localhost", 6010)}, True),
        ({"DISPLAY": "nonsense"}, set(), False),
        (
            {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": "/run/user/1"},
            {"/run/user/1/wayland-0"},
            True,
        ),
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, {"/tmp/.X11-unix/X0"}, True),
        ({"QT_QPA_PLATFORM": "offscreen"}, set(), True),
    ],
)
def test_display_is_probed_before_qt_can_abort(
    machine: FakeMachine,
    checkout: Path,
    capsys: pytest.CaptureFixture[str],
    env: dict[str, str],
    sockets: set[str | tuple[str, int]],
    works: bool,
) -> None:
    machine.env = env
    machine.sockets = sockets
    assert setup.main(["run"], machine, checkout) == (0 if works else 2)
    if not works:
        assert "display" in error_line(capsys)
        assert machine.ran == []


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_debian_is_no_matter_elsewhere(machine: FakeMachine, checkout: Path, platform: str) -> None:
    machine.platform = platform
    machine.env = {}
    machine.lacking = {"libGL.so.1", "font"}
    assert setup.main(["run"], machine, checkout) == 0
    assert machine.became is not None
    ending = ".venv/Scripts/python.exe" if platform == "win32" else ".venv/bin/python"
    assert Path(machine.became[0][0]) == checkout / ending


@pytest.mark.parametrize("arguments", [[], ["start"], ["dev", "-x"]])
def test_unknown_command_says_what_there_is(
    machine: FakeMachine,
    checkout: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
) -> None:
    assert setup.main(arguments, machine, checkout) == 2
    assert "python3 -m app.setup run" in error_line(capsys)


def test_outside_a_checkout_nothing_is_made(
    machine: FakeMachine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert setup.main(["run"], machine, tmp_path) == 2
    assert "not a checkout" in error_line(capsys)
    assert list(tmp_path.iterdir()) == []


def test_real_machine_tells_libraries_modules_and_fonts_apart(tmp_path: Path) -> None:
    machine = setup.Machine()
    assert not machine.has_library("libsegscope-does-not-exist.so.1")
    assert machine.has_module("json")
    assert not machine.has_module("segscope_does_not_exist")
    assert machine.succeeds([machine.python, "-c", ""])
    assert not machine.succeeds([machine.python, "-c", "raise SystemExit(3)"])
    assert not machine.succeeds([str(tmp_path / "nothing")])
    address = str(tmp_path / "s")
    assert not machine.can_connect(socket.AF_UNIX, address)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        assert machine.can_connect(socket.AF_UNIX, address)
