"""Installs what pip cannot, above all Qt's libraries: by apt-get for root; others are shown the line to type."""

import argparse
import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys

# What must load, and the Debian package that has it: first for any use of Qt, then for a window on X.
PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


def loads(library: str) -> bool:
    """Whether the dynamic linker finds this library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing_packages() -> list[str]:
    """The Debian packages of everything that is missing."""
    packages = [package for library, package in PACKAGES.items() if not loads(library)]
    if not shutil.which("Xvfb"):  # shows the tests' real window
        packages.append("xvfb")
    if not importlib.util.find_spec("ensurepip"):  # Debian leaves it out of its Python
        packages.append(f"python3.{sys.version_info.minor}-venv")
    return packages


def install(packages: list[str]) -> bool:
    """Install the packages with apt-get, as root; returns whether that worked."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    commands = (["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", *packages])
    return all(subprocess.run(command, env=environment).returncode == 0 for command in commands)


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    packages = missing_packages() if sys.platform == "linux" else []
    if not packages:
        return
    if shutil.which("apt-get") and os.geteuid() == 0 and install(packages):
        return
    print(
        "Qt's window and the tests need system packages that are not here. On Debian and Ubuntu, type:\n"
        f"    sudo apt-get update && sudo apt-get install -y {' '.join(packages)}",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
