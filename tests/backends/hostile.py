"""A checkpoint whose every text tries to be more than text: markup, Markdown, places to fill in, characters that turn a line.

It is whole and loads; no family knows it. What stands in `TEXT` and `NAME` must be read as it is wherever a page shows it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.backends import tiny

NAME = "<img src=x onerror=window.caught=1> **bold** :red[r] :material/face: :streamlit: $x$ {n} [l](x) -> `c`"
"""A name that a file or a folder can have."""
TEXT = f"<script>window.caught=1</script></div></pre>{NAME} javascript:window.caught=1 &lt;b&gt;"
TURNED = "\u202edesrever"
LONG = "long " * 2000
HALF = "\ud800"
"""Half of a surrogate pair, which JSON can hold and no page can be sent."""


def write(folder: Path) -> Path:
    """Writes the checkpoint into `folder / NAME` and gives that folder."""
    folder = tiny.write(folder / NAME.replace("/", "_"))
    template = f"{{% if tools %}}{TEXT}{{% endif %}}\n{{# {TURNED} {LONG} #}}"
    messages = "{% for message in messages %}{{ message.content }}{% endfor %}"
    (folder / "chat_template.jinja").write_text(template + messages, "utf-8")
    (folder / f"{NAME.replace('/', '_')}.txt").write_text(TEXT, "utf-8")
    with suppress(OSError):  # Some systems have only file names that are text.
        (folder / "\udcb4\udcfa.txt").write_text("a name in Big5", "utf-8")
    _change(folder / "tokenizer.json", _rename)
    _change(folder / "config.json", lambda config: {
        **config, "architectures": [TEXT + HALF], "num_experts": LONG, "num_experts_per_tok": [TEXT] * 100,
        "vision_config": {"model_type": TEXT, "depth": TURNED},
    })
    _change(folder / "generation_config.json", lambda config: {
        **config, "temperature": TEXT, "top_p": 7, "top_k": -1, "min_p": TEXT, "repetition_penalty": {TEXT: 1},
    })
    return folder


def _rename(tokenizer: Any) -> Any:
    """The tokenizer with other control tokens than any family's."""
    names = iter((TEXT, TURNED, LONG))
    for token in tokenizer["added_tokens"]:
        if token["content"] != "<|im_end|>":
            token["content"] = next(names, f"<{token['id']}>")
    return tokenizer


def _change(path: Path, change: Any) -> None:
    path.write_text(json.dumps(change(json.loads(path.read_text("utf-8")))), "utf-8")
