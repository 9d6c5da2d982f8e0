"""Which module may import which: the rules, checked in the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("core", "gui", "plugins", "resources", "scripts")
LAYOUT = (
    "core/data", "core/model", "core/decoding", "core/training", "core/plugins_host", "gui/views", "gui/panels",
    "plugins", "resources/presets", "resources/icons", "resources/finished_run", "tests", "benchmarks", "docs",
    "main.py", "pyproject.toml", "constraints.txt", "Makefile", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md",
    "CHANGELOG.md", "LICENSE", ".ci/run",
)  # fmt: skip

# All of Qt's but the one that chooses a file or folder: what needs saying or asking is in the window itself.
DIALOGS = tuple(
    f"PySide6.QtWidgets.{name}"
    for name in ("QDialog", "QMessageBox", "QErrorMessage", "QInputDialog", "QProgressDialog", "QColorDialog",
                 "QFontDialog", "QWizard")
)  # fmt: skip

# module or package -> modules that it and everything inside it must not import, not even inside a function
FORBIDDEN = {
    "core": ("PySide6", "shiboken6", "pyqtgraph", "gui", "plugins", "main"),
    "core.data": ("core.model", "core.decoding", "core.training", "core.engine", "core.serving", "core.cli"),
    "core.model": ("core.decoding", "core.training", "core.engine", "core.serving", "core.cli"),
    "core.decoding": ("core.training", "core.engine", "core.serving", "core.cli"),
    "core.training": ("core.engine", "core.serving", "core.cli"),
    "core.plugin_check": ("core.engine", "core.serving", "core.cli"),
    "core.overview": (
        "torch", "core.model", "core.decoding", "core.training", "core.engine", "core.serving", "core.cli",
    ),
    "core.plugins_host": ("torch", "core.model", "core.training", "core.engine", "core.serving", "core.cli"),
    "core.plugin": ("torch", "core.model", "core.training", "core.engine", "core.serving", "core.cli"),
    "gui": ("torch", "safetensors.torch", "core.model", "core.training", "plugins", "main", *DIALOGS),
    "resources": ("torch", "PySide6", "core", "gui", "plugins"),
}  # fmt: skip
TORCH_FREE = (
    "core.config", "core.events", "core.requests", "core.probes", "core.engine", "core.run_folder", "core.history",
    "core.schedules", "core.sinusoids", "core.model_size", "core.cli", "core.plugin", "core.plugins_host",
    "core.plugin_check.plugin_checker", "core.plugin_check.report_text", "core.testing",
    "gui", "resources", "main",
)  # fmt: skip

# Only these files depend on the rank and number of processes; environment.json records the number.
FILES_FOR_SEVERAL_PROCESSES = (
    "core/torchrun.py", "core/training/distributed.py", "core/run_files/environment.py",
    "core/processes/agent.py",  # takes the place of torchrun
)  # fmt: skip
NAMES_FOR_SEVERAL_PROCESSES = (
    "torch.distributed", "distributed",
    "core.torchrun.process_rank", "core.torchrun.ProcessRank", "core.torchrun.is_alone",
    "world_size", "local_rank", "local_world_size", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
)  # fmt: skip


def sources() -> list[Path]:
    """Every Python file of the product."""
    return [ROOT / "main.py", *(path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))]


def module_name(path: Path) -> str:
    """`core/data/__init__.py` -> `core.data`"""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def module_files() -> dict[str, Path]:
    """Every module of the product by name."""
    return {module_name(path): path for path in sources()}


def is_within(module: str, package: str) -> bool:
    """Whether `module` is `package` or inside it; core.model_size is not within core.model."""
    return module == package or module.startswith(package + ".")


def folder(module: str) -> str:
    """The part of `core` or `gui` that a module is in or is: core.model for core.model.masks."""
    return ".".join(module.split(".")[:2])


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def targets(statement: ast.Import | ast.ImportFrom, path: Path) -> list[str]:
    """The modules an import may load; `from core import cli` may load `core` and `core.cli`."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    base = statement.module or ""
    if statement.level:
        package = path.relative_to(ROOT).parts[: -statement.level]
        base = ".".join((*package, *filter(None, [statement.module])))
    return [base, *(f"{base}.{alias.name}" for alias in statement.names)]


@cache
def all_imports(path: Path) -> list[tuple[int, str]]:
    """Line and module of each import anywhere in a file."""
    imports = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.Import | ast.ImportFrom)]
    return [(node.lineno, target) for node in imports for target in targets(node, path)]


def all_names(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each import, attribute and string anywhere in a file."""
    yield from all_imports(path)
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


@cache
def imports_when_loaded(path: Path) -> list[str]:
    """The modules that importing this file loads: not those imported inside functions or for the type checker only."""

    def walk(node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from targets(node, path)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            yield from (name for child in node.orelse for name in walk(child))
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from (name for child in ast.iter_child_nodes(node) for name in walk(child))

    return list(walk(parsed(path)))


def ways_to_torch(module: str, files: dict[str, Path], seen: set[str]) -> Iterator[str]:
    """Chains of imports through which loading `module` loads torch."""
    parents = [".".join(module.split(".")[:end]) for end in range(1, module.count(".") + 1)]
    for loaded in parents + imports_when_loaded(files[module]):
        if loaded.split(".")[0] == "torch" or loaded == "safetensors.torch":
            yield f"{module} -> {loaded}"
        elif loaded in files and loaded not in seen:
            seen.add(loaded)
            yield from (f"{module} -> {path}" for path in ways_to_torch(loaded, files, seen))


@pytest.mark.parametrize("package", FORBIDDEN)
def test_no_package_imports_one_above_it(package: str) -> None:
    broken = [
        f"{path.relative_to(ROOT)}:{line} imports {target}"
        for name, path in module_files().items()
        if is_within(name, package)
        for line, target in all_imports(path)
        if any(is_within(target, forbidden) for forbidden in FORBIDDEN[package])
    ]
    assert broken == []


def test_no_files_import_each_other_in_a_circle() -> None:
    """Also not inside functions or for the type checker only: what needs each other belongs together."""
    files = module_files()
    imports = {name: {to for _, to in all_imports(path) if to in files} for name, path in files.items()}
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the files


@pytest.mark.parametrize("package", ["core", "gui"])
def test_no_folders_import_each_other_in_a_circle(package: str) -> None:
    files = {name: path for name, path in module_files().items() if is_within(name, package)}
    imports: dict[str, set[str]] = {folder(name): set() for name in files}
    for name, path in files.items():
        imports[folder(name)] |= {folder(to) for _, to in all_imports(path) if to in files} - {folder(name), package}
    TopologicalSorter(imports).prepare()


def test_plugins_import_core_plugin_and_the_standard_library_only() -> None:
    broken = [
        f"{path.relative_to(ROOT)}:{line} imports {target}"
        for name, path in module_files().items()
        if is_within(name, "plugins")
        for line, target in all_imports(path)
        if target.split(".")[0] not in sys.stdlib_module_names
        and target != "core"
        and not is_within(target, "core.plugin")
    ]
    assert broken == []


def test_only_some_files_depend_on_the_number_of_processes() -> None:
    broken = [
        f"{path.relative_to(ROOT)}:{line} names {name}"
        for path in sources()
        if path.relative_to(ROOT).as_posix() not in FILES_FOR_SEVERAL_PROCESSES
        for line, name in all_names(path)
        if name in NAMES_FOR_SEVERAL_PROCESSES
    ]
    assert broken == []


def test_one_module_tells_what_is_at_a_path() -> None:
    broken = [
        f"{path.relative_to(ROOT)}:{node.lineno} calls {node.func.attr} of pathlib, not of core.at_path"
        for path in sources()
        if path.relative_to(ROOT).parts[0] in ("core", "gui")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in ("exists", "is_dir", "is_file") and not node.args and not node.keywords
    ]
    assert broken == []


@pytest.mark.parametrize("package", TORCH_FREE)
def test_loading_does_not_load_torch(package: str) -> None:
    files = module_files()
    paths = [path for name in files if is_within(name, package) for path in ways_to_torch(name, files, {name})]
    assert paths == []


def test_torch_free_modules_load_without_torch_and_qt() -> None:
    modules = [name for name in module_files() if name in TORCH_FREE and name != "gui"]
    code = f"import sys, {', '.join(modules)}; print(sorted({{'torch', 'PySide6'}} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (loaded.stdout.strip(), loaded.stderr) == ("[]", "")


@pytest.mark.parametrize("name", LAYOUT)
def test_what_the_layout_names_exists(name: str) -> None:
    assert (ROOT / name).exists()
