"""Makes what the window shows as it opens: `python -m scripts.first_look`, whenever a test says it is outdated."""

from __future__ import annotations

import argparse

from core.engine import Engine
from core.events import Event, ProbeDone
from core.first_look import write_first_look
from core.requests import Prepare
from core.settings.presets import FIRST_PRESET, read_preset


def main() -> None:
    """Prepare the first preset, and store the events that the engine emits."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    config, told = read_preset(FIRST_PRESET), list[Event]()
    with Engine([told.append]) as engine:
        prepared = engine.ask(Prepare(config=config)).result()
    (probe,) = (event.probe for event in told if isinstance(event, ProbeDone))
    write_first_look(config, prepared, probe)


if __name__ == "__main__":
    main()
