"""Reads the source of one of our functions as text. Nothing is imported: the window must not load torch."""

from __future__ import annotations

import ast
from importlib.resources import files

Definition = ast.FunctionDef | ast.ClassDef


def source_of(qualified_name: str) -> str:
    """The text of a function, class or method, such as `core.model.attention:MultiHeadAttention.attend`."""
    module, _, name = qualified_name.partition(":")
    package, *path = module.split(".")
    text = files(package).joinpath(*path[:-1], f"{path[-1]}.py").read_text(encoding="utf-8")
    node: ast.Module | Definition = ast.parse(text)
    for part in name.split("."):
        node = _named(node, part)
    assert isinstance(node, Definition)
    return _lines(text, node)


def _named(node: ast.Module | Definition, name: str) -> Definition:
    return next(child for child in node.body if isinstance(child, Definition) and child.name == name)


def _lines(text: str, node: Definition) -> str:
    """The definition's lines, decorators included, without the indentation of its class."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    lines = text.split("\n")[first - 1 : node.end_lineno]
    return "\n".join(line[node.col_offset :] for line in lines) + "\n"
