"""What went wrong with a plugin as the application tells it: which plugin, what, its file and line, what to do."""

import re
from typing import Any

from core.errors import UserError
from core.plugins_host.faults import FIX

ELSEWHERE = "If it is elsewhere, name its folder: --plugins-dir FOLDER, or HEADLIGHT_PLUGINS."
"""What to do where a plugin is not found."""


class PluginError(UserError):
    """A plugin failed, hangs, is missing or breaks the contract; the sentence names it, its file and line.

    `remedy` is what the plugin's author does about it; empty where it is not the plugin's fault.
    """

    def __init__(self, sentence: str, advice: str = "", *, remedy: str = "") -> None:
        self.remedy = remedy
        super().__init__(sentence, f"{remedy}, or choose another dataset." if remedy else advice)

    @property
    def for_author(self) -> str:
        """What went wrong, and what to write instead where more can be said than to fix it."""
        return f"{self.sentence} {self.remedy}." if self.remedy not in ("", FIX) else self.sentence


class NoSuchPlugin(PluginError):
    """Nowhere is there a plugin of this name."""


class OptionsRefused(PluginError):
    """The plugin's pairs say that these options will not do."""


class EmptySplit(PluginError):
    """A split has no pairs with these options."""


class NotWaitedFor(PluginError):
    """It gave no answer in the moment it was left, for somebody wanted to stop: with time it may be a good plugin."""


def failure(
    name: str, sentence: str, file: str, line: int, remedy: str, kind: type[PluginError] = PluginError
) -> PluginError:
    """Put it in one sentence, with the place where that is known."""
    place = f" ({file}, line {line})" if line else f" ({file})" if file else ""
    return kind(f"Plugin {name!r} {sentence.rstrip('.')}{place}.", remedy=remedy)


def refusal(name: str, error: dict[str, Any]) -> UserError:
    """Turn a fault's record from the host process into what to raise: options are the user's, all else the plugin's."""
    if error["kind"] == "options":
        return UserError(_closed(error["sentence"]))
    kind = OptionsRefused if error["kind"] == "refused" else PluginError
    return failure(name, f"failed: {error['sentence']}", error["file"], error["line"], error["remedy"], kind)


def _closed(sentence: str) -> str:
    """With a full stop, as the settings' own errors have it, unless a plugin's author has ended it."""
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."


def crash_line(output: list[str], file: str) -> int:
    """Find in a fatal error's own traceback the innermost line of the plugin's file; 0 when it is not there."""
    for text in output:
        found = re.match(r'\s*File "(.+)", line (\d+)', text)
        if found and found[1] == file:
            return int(found[2])
    return 0
