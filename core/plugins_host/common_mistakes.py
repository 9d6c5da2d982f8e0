"""Mistakes that authors of plugins make, and what to write instead."""

import re

TYPES_REMEDY = (
    'Make each option an int, float, bool, str, Literal["one", "other"], list[int], list[str], Folder or File'
)

COMMON_MISTAKES: tuple[tuple[str, str], ...] = (
    (
        r"option\(\) got an unexpected keyword argument '(gt|min\w*)'",
        "Write ge= for the least value that is allowed: option(6, ge=1, le=64)",
    ),
    (
        r"option\(\) got an unexpected keyword argument '(lt|max\w*)'",
        "Write le= for the greatest value that is allowed: option(6, ge=1, le=64)",
    ),
    (
        r"option\(\) (got an unexpected keyword argument|takes 1 positional argument|missing 1 required)",
        "Give the default first and the others by name: option(6, ge=1, le=64, help=..., label=...)",
    ),
    (
        r"^Error building .* validator",
        "Let ge and le be numbers, whole ones for an int, or leave them out",
    ),
    (
        r"requires a type annotation$|^A non-annotated attribute",
        "Give each option its type: length: int = option(6)",
    ),
    (
        r"'FieldInfo' object is not iterable|conflicts with member .* of protected namespace",
        "Give the option another name than model_config, model_dump and what else pydantic names so",
    ),
    (
        r"Instance is frozen$",
        "Options are frozen: keep what changes in an attribute of the plugin's own",
    ),
    (
        r"'Options' object has no attribute",
        "Name your options in the brackets, class YourClass(DatasetPlugin[YourOptions]): as it stands it has none",
    ),
    (
        r"^'\w+' object has no attribute 'options'$|\.__init__\(\) takes 1 positional argument but 2 were given",
        "Let __init__ take the options and pass them on: def __init__(self, options): super().__init__(options)",
    ),
    (
        r"^(Cannot generate a JsonSchema|Unable to generate pydantic-core schema)",
        TYPES_REMEDY,
    ),
    (
        r"^generator raised StopIteration$",
        "Give next() a second argument, for when there is no more: next(words, None)",
    ),
    (
        r"__init__\(\) missing 1 required positional argument: 'options'|^Can't instantiate abstract class",
        "End the file with the class itself, PLUGIN = YourClass, without parentheses",
    ),
    (
        r"^Pair\.__new__\(\)",
        "Write Pair(source, target), or Pair(source, target, alignment=[(0, 0), (1, 1)])",
    ),
    (
        r"^'Pair' object is not callable|^draw_for\(\) (takes|missing|got)",
        "Give draw_for the split and a function that draws one pair: draw_for(split, lambda: self.pair(rng))",
    ),
    (
        r"^'str' object has no attribute '(choices?|gauss|rand\w+|sample|shuffle|uniform)'",
        "Take the split first, and then the rng: def pairs(self, split, rng)",
    ),
    (
        r"No module named 'headlight_plugin_",
        'Use multiprocessing.get_context("fork"), or put what the processes run into a package: they cannot import the '
        "plugin's file",
    ),
    (
        r"^os\.fork(pty)? would copy the process",
        "Start other processes with subprocess or multiprocessing",
    ),
)
"""A pattern of an exception's message, and what to write instead."""


def remedy_for(message: str) -> str:
    """What to write instead, given an exception's message; empty if it is no known mistake."""
    return next((remedy for pattern, remedy in COMMON_MISTAKES if re.search(pattern, message)), "")
