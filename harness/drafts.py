"""What became of the guesses of a turn, counted for its model_end event."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from backends.base import Draft
from families.base import Channel


@dataclass
class DraftCount:
    """Counts [looked at, accepted], in all, by place in the draft and by the channel of the token that came out. `drafted` counts
    those too that nobody looked at, behind a guess that fell or behind the last token of the turn."""

    drafted: int = 0
    by_place: list[list[int]] = field(default_factory=list)
    by_channel: dict[Channel, list[int]] = field(default_factory=dict)

    def add(self, draft: Draft | None, channel: Channel) -> None:
        if draft is None:
            return
        self.drafted += 1 + len(draft.dropped)
        while len(self.by_place) <= draft.place:
            self.by_place.append([0, 0])
        for count in (self.by_place[draft.place], self.by_channel.setdefault(channel, [0, 0])):
            count[0] += 1
            count[1] += draft.accepted

    def fields(self, n_forwards: int | None) -> dict[str, Any]:
        """As the event holds them; "forwards" is how many forward passes wrote the turn, null where it is not known."""
        return {
            "drafted": self.drafted,
            "accepted": sum(accepted for _, accepted in self.by_place),
            "forwards": n_forwards,
            "by_place": self.by_place,
            "by_channel": self.by_channel,
        }
