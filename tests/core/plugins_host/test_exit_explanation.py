"""A plugin process that ended for lack of memory is reported as such, not as a fault of the plugin."""

from __future__ import annotations

import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.plugins_host import exit_explanation
from core.plugins_host.errors import PluginError
from core.plugins_host.host import PluginHost
from tests.core.plugins_host.helpers import draw_pairs, error_of

KILLED_BODY = "def pairs(self, split, rng):\n    {}\n    os.kill(os.getpid(), 9)\n    yield"
ABORTED_BODY = "def pairs(self, split, rng):\n    os.write(2, b'''{}\\n''')\n    os.abort()\n    yield"
LIBRARY_MESSAGES = [  # printed by libraries that cannot raise an exception
    "terminate called after throwing an instance of 'std::bad_alloc'",
    "memory allocation of 320000 bytes failed",
    "MemoryError",
]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


def test_an_out_of_memory_kill_is_distinguished_from_a_kill_by_a_person(
    host: PluginHost, write_plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file stands for the system's counter of such kills, which one of the plugins increases."""
    vmstat = tmp_path / "vmstat"
    vmstat.write_text("oom_kill 4\nother 1\n")
    monkeypatch.setattr(exit_explanation, "_VMSTAT", vmstat)
    count_kill = f"open({str(vmstat)!r}, 'w').write('oom_kill 5\\nother 1\\n')"
    write_plugin(KILLED_BODY.format(count_kill), name="by_the_system")
    write_plugin(KILLED_BODY.format("pass"), name="by_somebody")
    first, second = (error_of(partial(draw_pairs, host, name)) for name in ("by_the_system", "by_somebody"))
    assert "'by_the_system' was killed by the system, which had no memory left (SIGKILL)" in str(first)
    assert "'by_somebody' was killed, perhaps by a system without memory left (SIGKILL)" in str(second)
    assert all("Close other programs, or let it keep less in memory, or choose" in str(one) for one in (first, second))


@pytest.mark.parametrize("printed", LIBRARY_MESSAGES)
def test_a_crash_for_lack_of_memory_is_reported_as_one(host: PluginHost, write_plugin: Any, printed: str) -> None:
    write_plugin(ABORTED_BODY.format(printed))
    with pytest.raises(PluginError, match=r"'named' did not have enough memory, and crashed \(SIGABRT\).*Close other"):
        draw_pairs(host, "named")


def test_a_process_ended_for_a_reload_is_not_blamed_on_the_plugin(host: PluginHost, write_plugin: Any) -> None:
    path = write_plugin("def pairs(self, split, rng):\n    open(__file__ + '.on', 'w')\n    time.sleep(99)\n    yield")
    errors: list[object] = []
    host.plugins()
    waiting = threading.Thread(target=lambda: errors.append(error_of(lambda: draw_pairs(host, "named"))))
    waiting.start()
    while not Path(f"{path}.on").exists():
        assert waiting.is_alive()
    host.reset()
    waiting.join()
    assert str(errors[0]) == "The plugins' process has been ended."
