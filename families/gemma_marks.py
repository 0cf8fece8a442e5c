"""The markers of the Gemma families.

Gemma 4 and FunctionGemma write the same notation with other markers: a `Dialect` names them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

NAME = r"[^\s{}()\[\]<>,\"'`]++"
"""A pattern for a tool's name, as far as it can be told from what stands around it."""
CALL_BEGINS = re.compile(rf"\s*+(?:call\s*+:|:\s*+{NAME}\s*+[{{(]|{NAME}\s*+[{{(]|[{{\[])")
"""What follows a marker where a call begins."""
_LIKE_CALL = r"<\|?(?:start_)?(?:tool|function)s?(?:_calls?)?\|?>(?=\s*+call\s*+:)"


@dataclass(frozen=True)
class Dialect:
    """The markers of one family. `think` and `end_think` are "" where it does not think; `control` are further control
    tokens that belong to no text."""

    call: str
    end_call: str
    string: str
    stops: tuple[str, ...]
    control: tuple[str, ...]
    think: str = ""
    end_think: str = ""

    @cached_property
    def marks(self) -> re.Pattern[str]:
        """A pattern for any marker, its kind as the group's name."""
        patterns = {
            "string": re.escape(self.string),
            "call": re.escape(self.call),
            "end_call": re.escape(self.end_call),
            "think": re.escape(self.think),
            "end_think": re.escape(self.end_think),
            "like_call": _LIKE_CALL,  # It comes before the control tokens: `<|tool>` may stand where `<|tool_call>` should.
            "stop": "|".join(map(re.escape, (*self.stops, *self.control))),
        }
        return re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in patterns.items() if pattern))
