"""The import rule of the house: a folder imports only from its own floor and the floors below."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = ("families", "backends", "harness", "app", "teaching", "benchmarks")

MAY_IMPORT = {
    "families": {"families"},
    "backends": {"families", "backends"},
    "harness": {"families", "backends", "harness"},
    "app": {"families", "backends", "harness", "app"},
    "teaching": {"families", "backends", "harness", "teaching"},
    "benchmarks": set(OURS),
}
RUNS_MODELS = {"backends", "teaching", "benchmarks"}
HEAVY = {"streamlit": {"app"}, "torch": RUNS_MODELS, "transformers": RUNS_MODELS}


def imports_of(path: Path) -> set[str]:
    """The dotted names that a module imports, wherever in the file the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write imports from the root, as everywhere else"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


SOURCES = sorted(path for folder in OURS for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_stay_on_their_floor(path: Path) -> None:
    folder = path.relative_to(ROOT).parts[0]
    for name in imports_of(path):
        top = name.split(".")[0]
        if top in OURS:
            assert top in MAY_IMPORT[folder], f"{folder} imports {name}"
            if folder == "harness" and top == "backends":
                assert name.startswith("backends.base"), f"harness imports {name}, not backends.base"
        if top in HEAVY:
            assert folder in HEAVY[top], f"{folder} imports {name}"


LOOKS = sorted(path for folder in ("app", "tests") for kind in ("js", "css") for path in (ROOT / folder).rglob(f"*.{kind}"))


@pytest.mark.parametrize("path", LOOKS, ids=lambda path: str(path.relative_to(ROOT)))
def test_lines_of_scripts_and_styles_are_as_short_as_those_of_python(path: Path) -> None:
    limit = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["line-length"]
    lines = path.read_text("utf-8").splitlines()
    assert [(number, len(line)) for number, line in enumerate(lines, 1) if len(line) > limit] == []


@pytest.mark.parametrize("package", ["families", "families.read", "backends.base", "backends.scripted", "harness.run", "app.cli"])
def test_importing_is_light_and_silent(package: str) -> None:
    code = (
        f"import sys, {package}\n"
        "heavy = sorted({'torch', 'transformers', 'streamlit'} & set(sys.modules))\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
