"""`python -m teaching.tiny OUT`: makes the tiny checkpoints anew, in OUT."""

from __future__ import annotations

import argparse
from pathlib import Path

from teaching.tiny.recipe import teach_gemma4, teach_qwen3_5


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m teaching.tiny", description=__doc__)
    parser.add_argument("out", type=Path, help="the folder that the checkpoints are written into, a folder each")
    out = parser.parse_args().out
    teach_qwen3_5(out, _say)
    teach_gemma4(out, _say)
