#!/bin/sh
# Makes .venv from pyproject.toml under constraints.txt, and brings the system packages Qt needs.
# Installs again only when those two files, the folder or the Python in .venv have changed.
set -eu
cd "$(dirname "$0")/.."
stamp=.venv/setup-stamp

fits() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        if fits "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    echo "No Python 3.11 or newer was found (tried python3, python3.14, python3.13, python3.12, python3.11)." >&2
    echo "On Debian 12, Ubuntu 24.04 and later: sudo apt-get install python3" >&2
    echo "Older releases have an older one. Install python3.11 or newer from elsewhere: the deadsnakes archive of Ubuntu," >&2
    echo "or uv (uv python install 3.12), so that python3.12 is found in PATH." >&2
    return 1
}

state() {
    cat pyproject.toml constraints.txt | cksum
    .venv/bin/python -VV
    pwd
}

if [ -x .venv/bin/pip ] && fits .venv/bin/python; then
    python=.venv/bin/python
else
    python=$(find_python)
fi
"$python" scripts/system_packages.py

if [ "$python" != .venv/bin/python ]; then
    echo "Making .venv with $("$python" -V)"
    "$python" -m venv --clear .venv
fi

if [ "$(cat "$stamp" 2>/dev/null)" != "$(state)" ]; then
    pip=".venv/bin/python -m pip install --disable-pip-version-check --constraint constraints.txt"
    $pip setuptools
    $pip --no-build-isolation --editable '.[dev]'
    state > "$stamp"
fi
