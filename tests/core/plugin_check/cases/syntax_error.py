"""It has an unclosed parenthesis."""

from core.plugin import DatasetPlugin, Options, Pair


class Broken(DatasetPlugin[Options]:
    name = "syntax_error"
    title = "Broken"
