"""Says what `loopglass selftest drafting` finds: a line a check in plain words, or as JSON lines.

Exit codes: 0 where no difference was found but by rounding, 1 where one was, where nothing was guessed, or where the model
failed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TextIO

from app.drafting_words import drafter_name
from app.selftest import Check, Compared, Drawn, Skipped, checks
from app.selftest_words import SELFTEST
from app.terminal import visible
from backends.base import Backend, Progress
from families.base import Text, pick
from harness.ends import Over

PASSED, NOT_PASSED = 0, 1


def words(lang: str, key: str, **values: object) -> str:
    return pick(lang, *SELFTEST[key]).format(**values)


class Report:
    """Writes checks to `out` as they come; `clear` takes away the progress that stands where a line is to go."""

    def __init__(self, out: TextIO, lang: str, *, as_json: bool, clear: Callable[[], None]) -> None:
        self._out = out
        self._clear = clear
        self._lang = lang
        self._as_json = as_json
        self._seen: list[Check] = []

    def run(self, backend: Backend, drafters: Mapping[str, Text | None], progress: Progress) -> int:
        """Makes every check of these drafters of the backend, names those that cannot be had and why, and gives the exit code."""
        info = {name: backend.info.get(name) for name in ("dtype", "device")}
        self._write("intro", {"selftest": "drafting", "model": backend.model_id, "drafters": list(drafters), **info})
        for drafter, why_not in drafters.items():
            if why_not is not None:
                name = pick(self._lang, *drafter_name(drafter))
                self._write("cannot", {"drafter": drafter, "name": name, "why": pick(self._lang, *why_not)})
        usable = [drafter for drafter, why_not in drafters.items() if why_not is None]
        if not usable:
            self._write("none", {"result": "none"})
            return NOT_PASSED
        try:
            for check in checks(backend, usable, progress):
                self._check(check)
        except Over as over:
            error = "" if over.error is None else pick(self._lang, *over.error)
            self._write("failed", {"result": "failed", "error": error})
            return NOT_PASSED
        return self._result(usable)

    def _write(self, key: str, fields: dict[str, Any]) -> None:
        """A line that is no check: its fields as JSON, or filled into its words."""
        shown = {name: self._say("unknown") if value is None else value for name, value in fields.items()}
        self._print(json.dumps(fields, ensure_ascii=False) if self._as_json else visible(self._say(key, **shown)))

    def _print(self, line: str) -> None:
        self._clear()
        print(line, file=self._out, flush=True)

    def _say(self, key: str, **values: object) -> str:
        return words(self._lang, key, **values)

    def _check(self, check: Check) -> None:
        verdict = "skipped" if isinstance(check, Skipped) else check.verdict
        before = {each.drafter for each in self._seen if not isinstance(each, Skipped)}
        self._seen.append(check)
        if self._as_json:
            self._print(json.dumps({"verdict": verdict, **asdict(check)}, ensure_ascii=False))
            return
        if not isinstance(check, Skipped) and check.drafter not in before:
            self._print(self._say("drafter", name=pick(self._lang, *drafter_name(check.drafter))))
        self._print(visible(f"  [{self._say(verdict)}] {self._sentence(check)}"))

    def _sentence(self, check: Check) -> str:
        if isinstance(check, Skipped):
            error = "" if check.error is None else pick(self._lang, *check.error)
            return self._say("template", prompt=self._say(f"prompt_{check.prompt}"), error=error)
        setting, guesses = self._say(check.check), self._guesses(check)
        if isinstance(check, Drawn):
            p = f"{check.p_value:.2g}"
            return self._say("drawn", setting=setting, n=check.n_draws, outcomes=check.n_outcomes, p=p, guesses=guesses)
        prompt = self._say(f"prompt_{check.prompt}")
        return self._say("compared", setting=setting, prompt=prompt, found=self._found(check), guesses=guesses)

    def _found(self, check: Compared) -> str:
        if check.without is not None and check.drafted is not None:
            one, other = check.without, check.drafted
            parts = self._say(
                "found_parts", n=check.n_same, at=check.n_same + 1, a=one.text or one.piece, b=other.text or other.piece,
                a_p=self._p(one.p), b_other=self._p(one.p_other), b_p=self._p(other.p), a_other=self._p(other.p_other),
            )
            return parts + (self._say("by_rounding") if check.verdict == "rounding" else "")
        if check.verdict == "same":
            drift = "" if not check.drift else self._say("drift", drift=check.drift)
            return self._say("found_same", n=check.n_same) + drift
        return self._say("found_drift" if check.ended_alike else "found_end", n=check.n_same, drift=check.drift)

    def _p(self, p: float | None) -> str:
        return self._say("unknown") if p is None else f"{p:.6g}"

    def _guesses(self, check: Compared | Drawn) -> str:
        if check.n_guessed == 0:
            return self._say("no_guesses")
        return self._say("guesses", looked=check.n_guessed, held=check.n_held)

    def _result(self, drafters: Sequence[str]) -> int:
        made = [check for check in self._seen if not isinstance(check, Skipped)]
        differ = sum(check.verdict == "differs" for check in made)
        rounding = sum(check.verdict == "rounding" for check in made)
        guessed = {drafter: sum(check.n_guessed for check in made if check.drafter == drafter) for drafter in drafters}
        blind = [pick(self._lang, *drafter_name(drafter)) for drafter, n in guessed.items() if n == 0]
        key = "differs" if differ else "blind" if blind else "rounding" if rounding else "same"
        n = differ or rounding
        self._write(f"result_{key}", {"result": key, "n": n, "n_checks": len(made), "drafters": ", ".join(blind)})
        return PASSED if key in ("rounding", "same") else NOT_PASSED
