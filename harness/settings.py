"""What the user sets for a run."""

from __future__ import annotations

import math
import secrets
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from backends.base import Sampling

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant. Use a tool when one fits; otherwise answer directly."
MOST_DRAWN_SEED = 999_999
"""Seeds that are drawn stay short, so that people can read and type them."""
MOST_EXACT = 2**53 - 1
"""The largest whole number that a browser holds exactly: a larger setting would be shown, and repeated, as another one."""
DEFAULT_TOOLS = ("calculator", "convert_units", "current_time")


@dataclass(frozen=True)
class Settings:
    """The settings of one run. `max_steps` counts passes of the loop, `time_limit_s` what generation and tools may take
    together, `tools` names those offered; an empty `system_prompt` sends none."""

    sampling: Sampling = field(default_factory=Sampling)
    max_steps: int = 8
    time_limit_s: float = 300.0
    thinking: bool = True
    tools: tuple[str, ...] = DEFAULT_TOOLS
    system_prompt: str = DEFAULT_SYSTEM_PROMPT

    def __post_init__(self) -> None:
        if self.max_steps < 1:
            raise ValueError(f"max_steps is {self.max_steps}; at least 1 is needed")
        if not 0 < self.time_limit_s < math.inf:
            raise ValueError(f"time_limit_s is {self.time_limit_s}; it must be above 0 and finite")

    def seeded(self) -> Settings:
        """The same with a drawn seed, where tokens are drawn and no seed is given: so that every run can be repeated."""
        if self.sampling.seed is not None or self.sampling.temperature == 0:
            return self
        return replace(self, sampling=replace(self.sampling, seed=secrets.randbelow(MOST_DRAWN_SEED + 1)))

    def as_event(self, thinking_switch: bool) -> dict[str, Any]:
        """The settings as run_start records them; the tools stand in a field of their own there. Without a `thinking_switch`
        nothing was switched, so that there is no setting to record."""
        thinking = self.thinking if thinking_switch else None
        rest = {"max_steps": self.max_steps, "time_limit_s": self.time_limit_s, "thinking": thinking}
        return {**asdict(self.sampling), **rest, "system_prompt": self.system_prompt}
