"""The errors that the application raises for a plugin: its name, what went wrong, file and line, what to do."""

import re
from itertools import pairwise
from typing import Any, NamedTuple

from core.errors import UserError
from core.plugins_host.worker_errors import DEFAULT_REMEDY

NOT_FOUND_ADVICE = "If it is elsewhere, name its folder: --plugins-dir FOLDER, or HEADLIGHT_PLUGINS."
"""What to do if a plugin is not found."""


class PluginError(UserError):
    """A plugin failed, hangs, is missing or breaks the rules; the sentence names it with file and line.

    `remedy` is what the plugin's author can do about it; empty if it is not the plugin's fault. `plugin` is its name.
    """

    def __init__(self, sentence: str, advice: str = "", *, remedy: str = "", plugin: str = "") -> None:
        self.remedy, self.plugin = remedy, plugin
        super().__init__(sentence, f"{remedy}, or choose another dataset." if remedy else advice)

    @property
    def for_author(self) -> str:
        """What went wrong, and the remedy, if that says more than to fix it."""
        return f"{self.sentence} {self.remedy}." if self.remedy not in ("", DEFAULT_REMEDY) else self.sentence


class NoSuchPlugin(PluginError):
    """There is no plugin with this name."""


class OptionsRefused(PluginError):
    """The plugin's pairs() refuses these options."""


class EmptySplit(PluginError):
    """A split has no pairs with these options."""


class CallAbandoned(PluginError):
    """No answer in the short time left while somebody wanted to stop: given more time, the plugin may work."""


class PrintedException(NamedTuple):
    """An exception of a plugin's thread or process, of which Python only prints the traceback."""

    text: str  # its type and message
    file: str
    line: int  # 0 if no line of the plugin's led to it; `file` is then empty

    def __str__(self) -> str:
        return f"{self.text} ({self.file}, line {self.line})" if self.line else self.text


def plugin_error(
    name: str, sentence: str, file: str, line: int, remedy: str, kind: type[PluginError] = PluginError
) -> PluginError:
    """Make the error's sentence, with the file and line if they are known."""
    location = f" ({file}, line {line})" if line else f" ({file})" if file else ""
    return kind(f"Plugin {name!r} {sentence.rstrip('.')}{location}.", remedy=remedy, plugin=name)


def error_from_record(name: str, error: dict[str, Any]) -> UserError:
    """Turn a WorkerError's record from the host process into an error: the user's for options, else the plugin's.

    `name` names a plugin whose class has not been read yet.
    """
    if error["kind"] == "options":
        return UserError(_with_full_stop(error["sentence"]))
    kind = OptionsRefused if error["kind"] == "refused" else PluginError
    name = error["plugin"] or name
    return plugin_error(name, f"failed: {error['sentence']}", error["file"], error["line"], error["remedy"], kind)


def _with_full_stop(sentence: str) -> str:
    """The sentence with a full stop, as in errors of settings, unless it has an end mark."""
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."


def printed_location(output: list[str], files: list[str]) -> tuple[str, int]:
    """The plugin's file and its innermost line in a traceback that its process printed; "" or 0 if there is none."""
    for text in output:
        found = re.match(r'\s*File "(.+)", line (\d+)', text)
        if found and found[1] in files:
            return found[1], int(found[2])
    return files[0] if len(files) == 1 else "", 0


def printed_exception(output: list[str], files: list[str]) -> PrintedException | None:
    """The last exception that ended a thread or process of the plugin's, with its innermost line in these files.

    A traceback that the plugin prints itself, say of an exception that it handles, is none.
    """
    found, file, line, is_inside = None, "", 0, False
    for before, text in pairwise(output):
        frame = re.match(r'\s+File "(.+)", line (\d+)', text)
        if text == "Traceback (most recent call last):":
            file, line, is_inside = "", 0, before.startswith(("Exception in thread ", "Process "))
        elif frame and frame[1] in files:
            file, line = frame[1], int(frame[2])
        elif is_inside and text and not text.startswith(" "):
            found, is_inside = PrintedException(text, file, line), False
    return found
