"""The README's tree names every source file, and nothing that is not there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
FOLDERS = ("families", "backends", "harness", "app", "teaching", "benchmarks")


def test_the_tree_names_every_source_file_and_no_other() -> None:
    tree = README.split("```")[1]
    named = set(re.findall(r"[\w]+\.(?:py|js|css)\b", tree))
    sources = [path for folder in FOLDERS for kind in ("py", "js", "css") for path in (ROOT / folder).rglob(f"*.{kind}")]
    there = {path.name for path in sources}
    assert named == there - {path.name for path in sources if not path.read_text("utf-8").strip()} | {"__init__.py"}


def test_what_the_readme_points_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / target).exists(), target


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    table = README.split("## What it stands on")[1]
    for requirement in [*project["dependencies"], *project["optional-dependencies"]["test"]]:
        name = re.match(r"[\w-]+", requirement)
        assert name is not None
        assert re.search(rf"\b{name[0]}\b", table), name[0]
