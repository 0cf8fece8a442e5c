"""How often the built-in model is right: `python -m benchmarks.teaching [--generated N] [--thinking on|off]`.

Two sets of questions go through the real harness and tools, with the checkpoint's recommended sampling and fixed seeds:

- generated: 200 questions from phrases that the model was never taught with (teaching_phrases.py), of all kinds;
- free: 60 questions written by hand (data/README.md says how they are marked).

A question counts as right where the run called exactly the right tools, these answered what the right call answers, and the
final answer states it. The last line is JSON: {"generated": share, "free": share, "n": {"generated", "free"}}.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backends.base import Backend, Sampling
from backends.builtin import checkpoint
from backends.hub import BUILTIN_ID
from backends.local import LocalBackend
from benchmarks import teaching_phrases as phrases
from harness.run import Run
from harness.settings import Settings
from harness.tools import Tool
from teaching import chains, phrases_tools, tasks
from teaching.tasks import Episode, UnfitError, World

FREE = Path(__file__).parent / "data" / "free_questions.jsonl"
SEED = 4242
SHARES = {
    "direct": 30, "verbal": 30, "story": 30, "convert": 30, "time": 20, "two_places": 6, "two_calculations": 6,
    "two_conversions": 6, "two_any": 6, "convert_calculate": 8, "calculate_convert": 8, "plain": 20,
}
"""How many of 200 generated questions are of each kind."""
_NUMBER = re.compile(r"-?\d+(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Outcome:
    """One question and what came of it."""

    kind: str
    question: str
    right: bool
    called: str
    final: str


def _question(world: World, kind: str) -> Episode:
    """A question of a kind, from phrases that were never taught."""
    makers: dict[str, Callable[[], Episode]] = {
        "direct": lambda: tasks.calculation(world, phrases.DIRECT, "direct"),
        "verbal": lambda: tasks.calculation(world, phrases.VERBAL, "verbal"),
        "story": lambda: tasks.calculation(world, phrases.STORIES, "story"),
        "convert": lambda: tasks.conversion(world, phrases.CONVERT, {}),
        "time": lambda: tasks.clock(world, phrases.TIME, phrases_tools.PLACES),
        "convert_calculate": lambda: chains.convert_then_calculate(world, phrases.CONVERT_THEN_CALCULATE),
        "calculate_convert": lambda: chains.calculate_then_convert(world, phrases.CALCULATE_THEN_CONVERT, phrases.AREA_AND_SPEED),
        "plain": lambda: _plain(world),
    }
    return makers[kind]() if kind in makers else _two(world, kind)


def _plain(world: World) -> Episode:
    question, words = world.rng.choice(phrases.PLAIN)
    return Episode("plain", question, (), "", "", tuple(words.split("|")))


def _two(world: World, kind: str) -> Episode:
    """Two questions in one, both of which can be answered at once."""
    rng = world.rng
    if kind == "two_places":
        first, second = rng.sample(phrases_tools.PLACES, 2)
        episodes = [tasks.clock(world, "x|{clock}", [place]) for place in (first, second)]
        question = world.line(phrases.TWO_PLACES)[0].format(p1=first, p2=second)
    elif kind == "two_calculations":
        pairs = [tasks.expression(rng) for _ in range(2)]
        episodes = [tasks.calculation(world, "{x}|{x}|", "direct", pair) for pair in pairs]
        question = world.line(phrases.TWO_CALCULATIONS)[0].format(x1=pairs[0][1], x2=pairs[1][1])
    elif kind == "two_conversions":
        episodes = [tasks.conversion(world, "{v}|", {}) for _ in range(2)]
        values = {f"{name}{n}": text for n, episode in enumerate(episodes, 1) for name, text in episode.state.items()}
        question = world.line(phrases.TWO_CONVERSIONS)[0].format(**values)
    else:
        episodes = [_question(world, rng.choice(("verbal", "convert", "time", "story"))) for _ in range(2)]
        question = world.line(phrases.JOINERS)[0].format(q1=episodes[0].question, q2=episodes[1].question)
    return tasks.together(kind, question, episodes)


def generated(count: int) -> Iterator[tuple[Episode, Mapping[str, Tool]]]:
    """`count` questions in the shares above, each with the tools of its own world (its clock stands still)."""
    kinds = [kind for kind, share in SHARES.items() for _ in range(share)]
    random.Random(SEED).shuffle(kinds)
    for number in range(count):
        for draw in range(100):
            world = World(random.Random(f"{SEED}/{number}/{draw}"))
            try:
                episode = _question(world, kinds[number % len(kinds)])
            except UnfitError:
                continue
            yield episode, world.tools
            break


def run(
    backend: Backend, question: str, thinking: bool, seed: int, tools: Mapping[str, Tool] | None = None
) -> Sequence[dict[str, Any]]:
    """The log of one question with the recommended sampling."""
    defaults = backend.info["defaults"]
    sampling = Sampling(
        temperature=defaults["temperature"], top_p=defaults["top_p"], top_k=int(defaults["top_k"]), max_new_tokens=256, seed=seed
    )
    one = Run(backend, question, Settings(sampling=sampling, thinking=thinking), tools=tools)
    one.execute()
    return one.log.events


def marked(episode: Episode, log: Sequence[Mapping[str, Any]]) -> Outcome:
    """Whether a run did what the episode does."""
    names, results, final = _seen(log)
    wanted = Counter(name for step in episode.steps for name, _ in step.calls)
    right_results = Counter(result for step in episode.steps for result in step.results)
    if episode.kind == "plain":
        stated = bool(final) and any(word in final.lower() for word in episode.key)
    else:
        stated = all(_states(final, key) for key in episode.key)
    same = Counter(map(_value, results)) == Counter(map(_value, right_results.elements()))
    return Outcome(episode.kind, episode.question, Counter(names) == wanted and same and stated, _calls(log), final)


def marked_free(entry: Mapping[str, Any], log: Sequence[Mapping[str, Any]]) -> Outcome:
    """Whether a run answered a free question, by the rules in data/README.md."""
    names, results, final = _seen(log)
    right = Counter(names) == Counter(entry["tools"]) and bool(final)
    if entry["answer"]:
        right = right and any(all(_matches(final, part) for part in alternative) for alternative in entry["answer"])
    if entry.get("from_result"):
        right = right and all(_states_time(final, result) for result in results if re.search(r"\d\d:\d\d \(", result))
    return Outcome("+".join(entry["tools"]) or "none", entry["q"], right, _calls(log), final)


def _seen(log: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str], str]:
    """Names of the calls that were answered, what the tools answered, and the final answer."""
    answered = [event for event in log if event["kind"] == "tool_result"]
    results = [event["result"] for event in answered if event["result"] is not None]
    return [event["name"] for event in answered], results, log[-1]["final"] or ""


def _calls(log: Sequence[Mapping[str, Any]]) -> str:
    calls = [call for event in log if event["kind"] == "parsed" for call in event["tool_calls"]]
    return "; ".join(f"{call['name']} {call['raw_args']}" for call in calls) or "no call"


def _value(result: str) -> str:
    """A tool's answer as something to compare: its first word, without what only the spelling of a unit changes."""
    return result if "(" in result else result.split(" ")[0]


def _states(final: str, key: str) -> bool:
    return key in final.replace(",", "") or key in final


def _matches(final: str, part: str | float) -> bool:
    """A text is in the answer; a number equals one in it: exactly if whole, else within 0.5 %."""
    if isinstance(part, str):
        return part.lower() in final.lower()
    found = [float(number.replace(",", "")) for number in _NUMBER.findall(final)]
    whole = float(part).is_integer()
    return any(number == part if whole else abs(number - part) <= 0.005 * abs(part) for number in found)


def _states_time(final: str, result: str) -> bool:
    """Whether the answer says the time (14:05 or 2:05 PM) or the date of what current_time said."""
    match = re.search(r"(\d{4}-\d\d-\d\d) ((\d\d):(\d\d))", result)
    assert match is not None, result
    date, clock, hour, minute = match.groups()
    twelve = f"{(int(hour) + 11) % 12 + 1}:{minute} {'am' if int(hour) < 12 else 'pm'}"
    return any(text in final.lower() for text in (date, clock, twelve))


def _report(name: str, outcomes: Sequence[Outcome]) -> float:
    """Print the misses and the shares by kind, and return the share of right ones."""
    for outcome in outcomes:
        if not outcome.right:
            print(f"miss ({outcome.kind}) {outcome.question}\n     {outcome.called}\n     {outcome.final!r}")
    by_kind: dict[str, list[bool]] = {}
    for outcome in outcomes:
        by_kind.setdefault(outcome.kind, []).append(outcome.right)
    print(f"{name}: " + ", ".join(f"{kind} {sum(right)}/{len(right)}" for kind, right in sorted(by_kind.items())))
    return sum(outcome.right for outcome in outcomes) / max(len(outcomes), 1)


def _all(name: str, outcomes: Iterator[Outcome], count: int) -> list[Outcome]:
    found: list[Outcome] = []
    for outcome in outcomes:
        found.append(outcome)
        print(f"\r{name} {len(found)}/{count}, {sum(one.right for one in found)} right", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="How often the built-in model is right.")
    parser.add_argument("--generated", type=int, default=200, help="how many generated ones (default %(default)s)")
    parser.add_argument("--thinking", choices=("on", "off"), default="on")
    parser.add_argument("--model", type=Path, help="a checkpoint folder to measure instead of the built-in model's")
    parser.add_argument("--dtype", help="the torch dtype to run it in (default: the backend's choice)")
    given = parser.parse_args()
    backend = LocalBackend.load(given.model or checkpoint(), BUILTIN_ID, dtype=given.dtype)
    thinking, count = given.thinking == "on", given.generated
    questions = enumerate(generated(count))
    first = (marked(episode, run(backend, episode.question, thinking, n, tools)) for n, (episode, tools) in questions)
    by_template = _all("generated", first, count)
    entries = [json.loads(line) for line in FREE.read_text(encoding="utf-8").splitlines()]
    second = (marked_free(entry, run(backend, entry["q"], thinking, n)) for n, entry in enumerate(entries))
    free = _all("free", second, len(entries))
    shares = {"generated": _report("generated", by_template), "free": _report("free", free)}
    print(json.dumps({**shares, "n": {"generated": len(by_template), "free": len(free)}}))


if __name__ == "__main__":
    main()
