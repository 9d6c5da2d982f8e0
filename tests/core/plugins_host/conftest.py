"""Fixtures that write plugins for a test, and a host that finds only these and the built-in ones."""

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.plugins_host.host import PluginHost

WritePlugin = Callable[..., Path]

TEMPLATE = """\
import random, os, sys, time, ctypes
from core.plugin import DatasetPlugin, Options, Pair, option

class NamedOptions(Options):
    length: int = option(6, ge=1, le=64, help="Letters in each word.")
    noise: float = option(0.5, ge=0.0, le=1.0)

class Named(DatasetPlugin[NamedOptions]):
    '''A plugin of a test.'''
    name = "{name}"
    title = "Test"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for plugins, in which the host searches."""
    path = tmp_path / "my plugins"
    path.mkdir()
    return path


@pytest.fixture
def write_plugin(folder: Path) -> WritePlugin:
    """A function that writes a plugin whose class body ends with the given methods."""

    def write(body: str, *, name: str = "named", file: str | None = None) -> Path:
        path = folder / (file or f"{name}.py")
        methods = textwrap.indent(textwrap.dedent(body), "    ")
        path.write_text(TEMPLATE.format(name=name) + methods + "\nPLUGIN = Named\n")
        return path

    return write


@pytest.fixture
def host(folder: Path) -> Iterator[PluginHost]:
    """A host with the usual timeouts, which no call reaches on a busy machine either."""
    with PluginHost([folder]) as host:
        yield host


@pytest.fixture
def impatient_host(folder: Path) -> Iterator[PluginHost]:
    """A host for plugins that hang, with a timeout short enough to wait for."""
    with PluginHost([folder], pairs_timeout=2.0) as host:
        yield host
