"""Set-up of a checkout in one command, with nothing but Python's standard library.

    python3 -m app.setup run  [ARGUMENT…]   set all up, then start Segscope
    python3 -m app.setup test [ARGUMENT…]   set all up, then run the tests without a screen
    python3 -m app.setup dev                set all up, with the linters; run nothing

The first call makes `.venv` in the checkout and installs what `pyproject.toml` names; later calls
find a stamp of that file and start at once. `SEGSCOPE_VENV` names another folder for it. On
Debian and Ubuntu the system libraries that Qt needs are installed too, where this may be done
without asking for a password; otherwise one line says what to run. This file runs on Pythons that
Segscope itself doesn't support, to be able to say so. The window asks here whether there is a
display; so what only the set-up needs is imported when it is needed.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import shlex
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OLDEST, NEWEST = (3, 11), (3, 13)
STAMP = "segscope-setup.json"

# Shared libraries that PySide6-Essentials links to but doesn't bring, and their Debian packages.
DRAW = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libX11.so.6": "libx11-6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
}
X_WINDOW = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}
WAYLAND_WINDOW = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}
# They come along where a bare machine gets packages for a window: DejaVu alone lacks most scripts.
# Elsewhere the window names the package for the script on screen.
SCRIPT_FONTS = {
    "fonts-noto-core": "fonts for most scripts",
    "fonts-noto-cjk": "fonts for Chinese, Japanese and Korean",
    "fonts-noto-color-emoji": "a font for emoji",
}
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
FONT_ENDINGS = (".ttf", ".otf", ".ttc", ".pfb")


class SetupError(Exception):
    """Something that the person has to do; the text is one line."""


class Machine:
    """What the set-up asks of the computer and does to it; tests put a false one in its place."""

    def __init__(self) -> None:
        self.platform = sys.platform
        self.python = sys.executable
        self.version = sys.version_info[:2]
        self.env: dict[str, str] = dict(os.environ)

    def say(self, line: str) -> None:
        """Tell how far things are."""
        print(f"segscope: {line}", file=sys.stderr, flush=True)

    def is_root(self) -> bool:
        """Tell whether packages can be installed without sudo."""
        return hasattr(os, "geteuid") and os.geteuid() == 0

    def which(self, program: str) -> str | None:
        """Find a program on the PATH."""
        return shutil.which(program)

    def has_module(self, name: str) -> bool:
        """Tell whether this Python has a module of the standard library."""
        importlib.invalidate_caches()
        return importlib.util.find_spec(name) is not None

    def has_library(self, soname: str) -> bool:
        """Tell whether the system's loader finds and loads a shared library."""
        import ctypes

        try:
            ctypes.CDLL(soname)
        except OSError:
            return False
        return True

    def fonts(self) -> set[str]:
        """Return the names of the font files in the usual folders."""
        return {
            name
            for folder in FONT_FOLDERS
            for _, _, files in os.walk(Path(folder).expanduser())
            for name in files
            if name.lower().endswith(FONT_ENDINGS)
        }

    def can_connect(self, family: int, address: str | tuple[str, int]) -> bool:
        """Tell whether something answers at a socket."""
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.settimeout(5)
            try:
                probe.connect(address)
            except OSError:
                return False
        return True

    def succeeds(self, command: list[str]) -> bool:
        """Run a command in silence."""
        import subprocess

        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        except OSError:
            return False
        return done.returncode == 0

    def run(self, command: list[str], env: dict[str, str] | None = None) -> int:
        """Run a command in sight and return its exit code."""
        import subprocess

        return subprocess.run(command, env=env, stdin=subprocess.DEVNULL, check=False).returncode

    def become(self, command: list[str], env: dict[str, str]) -> int:
        """Go on as another program; returns its exit code where a process can't be replaced."""
        sys.stdout.flush()
        sys.stderr.flush()
        if self.platform == "win32":
            import subprocess

            return subprocess.run(command, env=env, check=False).returncode
        return os.execve(command[0], command, env)


def needs_display(command: str, arguments: list[str], machine: Machine) -> bool:
    """Tell whether a command will open windows on a Linux display.

    As in `app.main`, files and `open` mean the window; any other word is a headless command.
    """
    if command == "test":
        platform = machine.env.get("SEGSCOPE_TEST_PLATFORM") or "offscreen"
    elif command == "run" and (not arguments or arguments[0] == "open" or _is_file(arguments[0])):
        platform = machine.env.get("QT_QPA_PLATFORM") or "xcb"
    else:
        return False
    return machine.platform.startswith("linux") and platform.startswith(("xcb", "wayland"))


def newer_python(machine: Machine) -> str | None:
    """Find a supported Python on the PATH, the newest first."""
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        program = machine.which(f"python3.{minor}")
        if program and machine.succeeds([program, "-c", "import sys, ctypes"]):
            return program
    return None


def _is_file(word: str) -> bool:
    path = Path(word)
    looks_like_one = path.exists() or path.suffix or path.parent != Path()
    return bool(looks_like_one) and not word.startswith("-")


def display_problem(machine: Machine) -> str | None:
    """Say in a line why no window can be opened here, or None where one can.

    Qt aborts the process where it can't reach a display, so it isn't left to find out.
    """
    env = machine.env
    remedy = (
        "the command `render SCENE --output X.png` draws a scene without a screen, and `xvfb-run` "
        "before the whole command starts a virtual one (packages xvfb, xauth)"
    )
    wayland, display = env.get("WAYLAND_DISPLAY"), env.get("DISPLAY")
    if not wayland and not display:
        return f"there is no display (DISPLAY and WAYLAND_DISPLAY are not set); {remedy}"
    if wayland:
        path = str(Path(env.get("XDG_RUNTIME_DIR", ""), wayland))
        if machine.can_connect(socket.AF_UNIX, path):
            return None
    if display and _x_server_answers(machine, display):
        return None
    return f"no display answers at {display or wayland}; check DISPLAY; {remedy}"


def _x_server_answers(machine: Machine, display: str) -> bool:
    host, _, rest = display.rpartition(":")
    number = rest.partition(".")[0]
    if not number.isdigit():
        return False
    if host not in ("", "unix"):
        return machine.can_connect(socket.AF_INET, (host, 6000 + int(number)))
    path = f"/tmp/.X11-unix/X{number}"
    return any(machine.can_connect(socket.AF_UNIX, name) for name in (path, "\0" + path))


def missing_packages(machine: Machine, window: bool) -> dict[str, str]:
    """List what the system lacks: Debian package → what it brings, in a fixed order."""
    wanted = dict(DRAW)
    if window:
        on_x = machine.env.get("DISPLAY") or not machine.env.get("WAYLAND_DISPLAY")
        wanted.update(X_WINDOW if on_x else WAYLAND_WINDOW)
    missing: dict[str, str] = {}
    if not (machine.has_module("venv") and machine.has_module("ensurepip")):
        missing[f"python{machine.version[0]}.{machine.version[1]}-venv"] = "Python's ensurepip"
    missing.update(
        (package, soname) for soname, package in wanted.items() if not machine.has_library(soname)
    )
    fonts = machine.fonts()
    if not fonts:
        missing["fonts-dejavu-core"] = "a font"
    if window and all(name.startswith("DejaVu") for name in fonts):
        missing.update(SCRIPT_FONTS)
    return missing


def install_packages(machine: Machine, window: bool) -> None:
    """Install the system packages that are missing, or say which."""
    missing = missing_packages(machine, window)
    if missing.keys() <= SCRIPT_FONTS.keys():
        return
    apt = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
    if machine.which("apt-get") is None:
        what = ", ".join(missing.values())
        raise SetupError(f"this system lacks {what}; install them with its package manager")
    sudo: list[str] = []
    if not machine.is_root():
        sudo = ["sudo", "-n"]
        if machine.which("sudo") is None or not machine.succeeds([*sudo, "true"]):
            command = f"sudo apt-get update && sudo {shlex.join(apt)}"
            raise SetupError(f"system packages are missing; install them by: {command}")
    machine.say(f"installing system packages: {' '.join(missing)}")
    quiet = [*sudo, "env", "DEBIAN_FRONTEND=noninteractive"]
    machine.run([*quiet, "apt-get", "update", "-qq"])
    machine.run([*quiet, *apt, "-qq"])
    left = missing_packages(machine, window)
    if left.keys() - SCRIPT_FONTS.keys():
        what = ", ".join(f"{package} ({why})" for package, why in left.items())
        raise SetupError(f"these are still missing after apt-get, whose messages are above: {what}")


def venv_python(folder: Path, platform: str) -> Path:
    """Return the path of the Python inside a virtual environment."""
    return folder / ("Scripts/python.exe" if platform == "win32" else "bin/python")


def prepare_venv(machine: Machine, root: Path, extra: str | None) -> Path:
    """Make or renew the virtual environment of a checkout; return the path of its Python.

    Nothing is run where the stamp shows that it fits `pyproject.toml` already.
    """
    folder = Path(machine.env.get("SEGSCOPE_VENV") or root / ".venv").absolute()
    python = venv_python(folder, machine.platform)
    stamp = folder / STAMP
    import hashlib

    digest = hashlib.sha256((root / "pyproject.toml").read_bytes()).hexdigest()
    wanted = {"pyproject": digest, "root": str(root), "python": list(machine.version)}
    have = _read_stamp(stamp)
    extras: list[str] = have.get("extras", [])
    usable = have.get("python") == wanted["python"] and python.exists()
    if usable and all(have.get(key) == value for key, value in wanted.items()):
        # "dev" holds "test", and both hold the plain installation.
        if extra in (None, *extras) or "dev" in extras:
            return python
    elif folder.exists() and not have and any(folder.iterdir()):
        raise SetupError(
            f"{folder} exists but this command didn't make it; delete it, or set SEGSCOPE_VENV "
            "to another folder"
        )
    if not usable:
        machine.say(f"making {folder} (once)")
        if have:
            shutil.rmtree(folder)
        folder.mkdir(parents=True, exist_ok=True)
        # A stamp without "pyproject" marks the folder as ours while it is half made.
        _write_stamp(stamp, {"extras": []})
        if machine.run([machine.python, "-m", "venv", str(folder)]) != 0:
            raise SetupError(f"Python could not make {folder}; its message is above")
        extras = []
    _write_stamp(stamp, {"python": wanted["python"], "extras": extras})
    if extra:
        extras = sorted({*extras, extra})
    target = f"{root}[{','.join(extras)}]" if extras else str(root)
    machine.say("installing Segscope and its libraries (the first time about 200 MB to load)")
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install"]
    if machine.run([*pip, "--editable", target]) != 0:
        raise SetupError("pip could not install the libraries; its message is above")
    _write_stamp(stamp, {**wanted, "extras": extras})
    return python


def _read_stamp(path: Path) -> dict[str, Any]:
    try:
        stamp = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _write_stamp(path: Path, stamp: dict[str, Any]) -> None:
    path.write_text(json.dumps(stamp, indent=1) + "\n", encoding="utf-8")


def main(arguments: list[str], machine: Machine | None = None, root: Path = ROOT) -> int:
    """Carry out one of the commands and return the exit code: 2 where the person has to act."""
    machine = machine or Machine()
    try:
        return _main(arguments, machine, root)
    except SetupError as error:
        print(f"segscope: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _main(arguments: list[str], machine: Machine, root: Path) -> int:
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command in ("-h", "--help"):
        print(__doc__)
        return 0
    if command not in ("run", "test", "dev") or (command == "dev" and rest):
        raise SetupError(
            "say what to do: `python3 -m app.setup run`, `python3 -m app.setup test` or "
            "`python3 -m app.setup dev`"
        )
    if not (root / "pyproject.toml").is_file():
        raise SetupError(f"{root} is not a checkout of Segscope; start `segscope` instead")
    if not OLDEST <= machine.version <= NEWEST:
        other = newer_python(machine)
        if other is None:
            found = ".".join(map(str, machine.version))
            raise SetupError(
                f"Segscope needs Python 3.{OLDEST[1]} to 3.{NEWEST[1]}, this is {found}; install "
                f"one beside it and start this again as `python3.{NEWEST[1]} -m app.setup "
                f"{command}`"
            )
        machine.say(f"going on with {other}")
        return machine.become([other, "-m", "app.setup", *arguments], machine.env)

    window = needs_display(command, rest, machine)
    problem = display_problem(machine) if window else None
    if problem:
        raise SetupError(problem)
    if machine.platform.startswith("linux"):
        install_packages(machine, window)
    python = str(prepare_venv(machine, root, {"run": None}.get(command, command)))
    env = dict(machine.env)
    if command == "run":
        return machine.become([python, "-m", "app", *rest], env)
    if command == "test":
        env["QT_QPA_PLATFORM"] = env.get("SEGSCOPE_TEST_PLATFORM") or "offscreen"
        return machine.become([python, "-m", "pytest", *rest], env)
    machine.say(f"ready: {python}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
