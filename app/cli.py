"""The command `loopglass`: serves the page, asks one question or a file of them in the terminal, or checks a model's drafters.

Exit codes: 0 where every question got an answer (or every check passed), 1 where one did not, 2 for a usage error.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TextIO

from platformdirs import user_data_path

from app.models import Loader, Placement, load_checkpoint
from app.selftest_report import Report
from app.terminal import Terminal, visible, words
from backends.base import COLDEST, Backend, BackendError, Progress, Sampling
from backends.checkpoint import DTYPES
from families.base import Text, pick
from harness.handover import settled
from harness.run import Run
from harness.settings import DEFAULT_SYSTEM_PROMPT, DEFAULT_TOOLS, MOST_EXACT, Settings
from harness.tools import registry

_POLL_S = 0.2
_SETTLE_S = 2.0
_NUMBER = re.compile(r"[\d.]+ (?:[kMG]?B|s|秒)")
ANSWERED, NOT_ANSWERED = 0, 1


def _number(kind: type[int] | type[float], low: int, high: int = MOST_EXACT, *, above: bool = False) -> Callable[[str], Any]:
    """An argparse type: a number of `kind` from `low` (or above it) to `high`, which infinity and nan are not."""
    bound = (f"above {low}" if above else f"{low} or more") + f", at most {high}"

    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no {'whole ' if kind is int else ''}number") from None
        if not (value > low if above else value >= low) or not value <= high:
            raise argparse.ArgumentTypeError(f"{text} is out of range: {bound}")
        return value

    return read


def _temperature(text: str) -> float:
    """An argparse type: a temperature that can be reckoned with."""
    value: float = _number(float, 0, 100)(text)
    if 0 < value < COLDEST:
        raise argparse.ArgumentTypeError(f"{text} is out of range: 0, or {COLDEST:g} or more")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="loopglass", description="See, live, how one question walks through an agent loop.")
    port = _number(int, 0, 65535)
    page = parser.add_argument_group("the page", argument_default=argparse.SUPPRESS)
    page.add_argument("--host", help="where the page is served (default 127.0.0.1)")
    page.add_argument("--port", type=port, help="its port (default 8501; 0: a free one)")
    parser.set_defaults(model="builtin", device=None, dtype=None)
    _add_model(parser)
    commands = parser.add_subparsers(dest="command", metavar="ask | selftest", title="in the terminal")
    ask = commands.add_parser("ask", help="ask in the terminal instead of serving the page")
    ask.add_argument("question", nargs="?", help="what to ask")
    ask.add_argument("--file", type=Path, help='JSON lines; each line\'s "q" is asked in a conversation of its own')
    ask.add_argument("--json", action="store_true", help="print the event log as JSON lines and nothing else")
    ask.add_argument("--out", type=Path, help="write the run file here, not into the folder of runs (one question only)")
    _add_language(ask)
    _add_model(ask)
    _add_sampling(ask.add_argument_group("sampling", "What is left open is as the model's makers recommend."))
    _add_loop(ask.add_argument_group("loop"))
    _add_selftest(commands.add_parser("selftest", help="check that drafting leaves what a model writes as it is"))
    return parser


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lang", choices=["en", "zh"], help="language of what is drawn (default: the terminal's)")


def _add_selftest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=["drafting"], help="compares what the model writes with each of its drafters and without")
    parser.add_argument("--drafter", metavar="NAME", help="check this one only (default: every one that the model has)")
    parser.add_argument("--json", action="store_true", help="print each check as a line of JSON and nothing else")
    _add_language(parser)
    _add_model(parser)


def _add_model(parser: argparse.ArgumentParser) -> None:
    """Its options may stand before the command and behind it. None has a default here: behind the command it would replace what
    was given before it."""
    group = parser.add_argument_group("model", argument_default=argparse.SUPPRESS)
    group.add_argument(
        "--model",
        help="builtin, a folder with a checkpoint, a .gguf file, or owner/name[@commit] on the Hugging Face hub "
        "(default builtin)",
    )
    group.add_argument("--device", help="where it runs: cpu, cuda, cuda:1, mps, … (default: the best there is)")
    group.add_argument("--dtype", choices=DTYPES, help="the number format of its weights (default: the checkpoint's own)")


def _placement(arguments: argparse.Namespace) -> Placement:
    return Placement(arguments.device, arguments.dtype)


def _add_sampling(group: argparse._ArgumentGroup) -> None:
    tokens, seed = _number(int, 1), _number(int, 0)
    group.add_argument("--temperature", type=_temperature, help="0 takes the most likely token each time")
    group.add_argument("--top-p", type=_number(float, 0, 1, above=True), help="keep the likeliest tokens up to this probability")
    group.add_argument("--top-k", type=_number(int, 0), help="keep this many of the likeliest tokens; 0 keeps all")
    group.add_argument("--seed", type=seed, help="draw the same tokens each time (default: different ones)")
    group.add_argument("--drafter", metavar="NAME", help='who guesses tokens ahead, such as "prompt_lookup" (default: nobody)')
    group.add_argument("--max-new-tokens", type=tokens, default=512, help="tokens in a turn at most (default %(default)s)")


def _add_loop(group: argparse._ArgumentGroup) -> None:
    defaults, seconds = Settings(), _number(float, 0, above=True)
    steps = _number(int, 1)
    group.add_argument("--max-steps", type=steps, default=defaults.max_steps, help="passes of the loop (default %(default)s)")
    group.add_argument("--time-limit", type=seconds, default=defaults.time_limit_s, help="in seconds (default %(default)g)")
    group.add_argument("--thinking", action=argparse.BooleanOptionalAction, default=defaults.thinking, help="think before acting")
    group.add_argument("--system", default=DEFAULT_SYSTEM_PROMPT, help="the system prompt; an empty one sends none")
    tools = group.add_mutually_exclusive_group()
    tools.add_argument("--tool", action="append", choices=list(registry()), help="offer this tool; repeatable (default: all)")
    tools.add_argument("--no-tools", action="store_true", help="offer no tool")


def _terminal_language() -> str:
    """Chinese where the locale says so."""
    locale = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return "zh" if locale.lower().startswith("zh") else "en"


def _has_colour(stream: TextIO) -> bool:
    """Colours go to terminals only, and to none whose user has set NO_COLOR (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def read_questions(path: Path) -> list[str]:
    """The "q" of each line of a JSON lines file; blank lines are skipped. Raises ValueError that names the line."""
    questions = []
    for number, line in enumerate(path.read_text("utf-8-sig").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}, line {number}: this is no JSON ({error})") from error
        if not isinstance(entry, dict) or not isinstance(entry.get("q"), str) or not entry["q"].strip():
            raise ValueError(f'{path}, line {number}: an object with a text "q" is expected')
        questions.append(entry["q"])
    if not questions:
        raise ValueError(f"{path} holds no question")
    return questions


def settings_for(backend: Backend, arguments: argparse.Namespace) -> Settings:
    """The settings that the arguments ask for; sampling that they leave open is the checkpoint's own recommendation."""
    defaults = backend.info["defaults"]
    given = {name: getattr(arguments, name) for name in ("temperature", "top_p", "top_k")}
    values = {name: defaults[name] if value is None else value for name, value in given.items()}
    sampling = Sampling(
        temperature=float(values["temperature"]), top_p=float(values["top_p"]), top_k=int(values["top_k"]),
        max_new_tokens=arguments.max_new_tokens, seed=arguments.seed, drafter=_drafter(backend, arguments.drafter),
    )
    tools = () if arguments.no_tools else tuple(arguments.tool or DEFAULT_TOOLS)
    return Settings(sampling, arguments.max_steps, arguments.time_limit, arguments.thinking, tools, arguments.system)


def _drafter(backend: Backend, name: str | None) -> str | None:
    """The drafter that was asked for. Raises BackendError for one that this model has not."""
    usable = sorted(known for known, why_not in backend.drafters.items() if why_not is None)
    if name is None or name in usable:
        return name
    why_not = backend.drafters.get(name)
    if why_not is not None:
        raise BackendError(f"The drafter {name} is not available: {why_not.en}", f"不能用「{name}」來猜：{why_not.zh}")
    have = ", ".join(usable)
    raise BackendError(
        f"This model has no drafter {name!r}; it has {have or 'none'}.",
        f"這個模型沒有叫「{name}」的猜測方式；有的是：{have or '無'}。",
    )


@contextmanager
def _ctrl_c(stop: Callable[[], None]) -> Iterator[None]:
    """The first Ctrl+C calls `stop` and interrupts nothing, so that the log is shown whole; the second leaves at once."""

    def once(_signal: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop()

    before = signal.signal(signal.SIGINT, once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass(frozen=True)
class _Printer:
    """Shows runs on `out`: as JSON lines, or drawn."""

    out: TextIO
    lang: str
    as_json: bool

    def show(self, run: Run) -> bool:
        """Follows a started run to its end; False where the user stopped it with Ctrl+C."""
        stopped = threading.Event()

        def stop() -> None:
            stopped.set()
            run.stop()
            print("\n" + words(self.lang, "stopping"), file=sys.stderr, flush=True)

        with _ctrl_c(stop):
            self._follow(run)
        if run.log.write_error is not None:
            _complain(words(self.lang, "run_file_failed", error=run.log.write_error))
        elif not self.as_json:
            self._print(words(self.lang, "run_file", path=run.log.path))
        return not stopped.is_set()

    def _follow(self, run: Run) -> None:
        if self.as_json:
            self._print(run.log.header_line)
        terminal = Terminal(self.out, self.lang, colour=_has_colour(self.out))
        seen, ended = -1, False
        while not ended:
            run.log.wait(seen, _POLL_S)
            ended = run.log.ended  # Asked before the events are taken: what comes later is taken in the next round.
            while lines := run.log.lines_after(seen):
                for line in lines:
                    self._print(line) if self.as_json else terminal.draw(json.loads(line))
                seen += len(lines)
        run.join()

    def _print(self, line: str) -> None:
        print(line, file=self.out, flush=True)


def _progress(lang: str) -> Progress:
    """Tells on stderr what loading does: in one line that changes in a terminal, else each stage once."""
    said: list[str] = []
    live = sys.stderr.isatty()

    def tell(text: Text, done: float | None) -> None:
        stage = visible(pick(lang, *text))
        if live:
            percent = "" if done is None else f" {done:.0%}"
            print(f"\r\x1b[K{stage}{percent}", file=sys.stderr, end="", flush=True)
        elif (without_numbers := _NUMBER.sub("", stage)) not in said:  # Else each megabyte or second would be a line.
            said.append(without_numbers)
            print(stage, file=sys.stderr, flush=True)

    return tell


def _complain(text: str) -> None:
    """Says on stderr what went wrong; what a checkpoint's files put into it cannot steer the terminal."""
    print(visible(text), file=sys.stderr)


def _clear_progress() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", file=sys.stderr, end="", flush=True)


def _loaded(arguments: argparse.Namespace, lang: str, load: Loader) -> Backend | None:
    """The model; None where it does not load, which has been said then."""
    try:
        backend = load(arguments.model, _progress(lang), **_placement(arguments).chosen)
    except BackendError as error:
        _clear_progress()
        _complain(words(lang, "load_failed", error=pick(lang, error.zh, str(error))))
        return None
    _clear_progress()
    if backend.info.get("notice") is not None:
        _complain(pick(lang, *backend.info["notice"]))
    return backend


def _selftest(arguments: argparse.Namespace, load: Loader) -> int:
    lang = arguments.lang or _terminal_language()
    backend = _loaded(arguments, lang, load)
    if backend is None:
        return NOT_ANSWERED
    try:
        named = _drafter(backend, arguments.drafter)
    except BackendError as error:
        _complain(pick(lang, error.zh, str(error)))
        return NOT_ANSWERED
    report = Report(sys.stdout, lang, as_json=arguments.json, clear=_clear_progress)
    return report.run(backend, backend.drafters if named is None else {named: None}, _progress(lang))


def _ask(arguments: argparse.Namespace, questions: Sequence[str], load: Loader, folder: Path) -> int:
    lang = arguments.lang or _terminal_language()
    backend = _loaded(arguments, lang, load)
    if backend is None:
        return NOT_ANSWERED
    try:
        settings = settings_for(backend, arguments)
    except BackendError as error:
        _complain(pick(lang, error.zh, str(error)))
        return NOT_ANSWERED
    printer = _Printer(sys.stdout, lang, arguments.json)
    code, left = ANSWERED, list(questions)
    while left:
        run = Run(backend, left.pop(0), settings, lang=lang, folder=folder, path=arguments.out)
        if run.log.write_error is not None:  # Said before the model spends minutes on an answer that would not be kept.
            _complain(words(lang, "run_file_failed", error=run.log.write_error))
            return NOT_ANSWERED
        run.start()
        try:
            going_on = printer.show(run)
        except BaseException:
            run.stop()
            run.join(_POLL_S * 10)
            raise
        if run.log.events[-1]["stop_reason"] != "answer":
            code = NOT_ANSWERED
        if not going_on:
            break
    return NOT_ANSWERED if left else code


def _questions(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> list[str]:
    """What is to be asked; a usage error where that is unclear."""
    if (arguments.question is None) == (arguments.file is None):
        parser.error("give either a question or --file")
    if arguments.out is not None and arguments.file is not None:
        parser.error("--out takes one run; with --file the run files go to the folder of runs")
    if arguments.out is not None and os.path.exists(arguments.out):
        parser.error(f"{arguments.out} exists already; a run file is never overwritten")
    if arguments.file is None:
        if not arguments.question.strip():
            parser.error("the question is empty")
        return [arguments.question]
    try:
        return read_questions(arguments.file)
    except (OSError, ValueError) as error:
        parser.error(str(error))


def main(argv: Sequence[str] | None = None, *, load: Loader = load_checkpoint, folder: Path | None = None) -> int:
    """Runs the command and gives its exit code. `load` makes a backend from a model's name; `folder` takes the run files."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    where = {name: getattr(arguments, name) for name in ("host", "port") if hasattr(arguments, name)}
    if isinstance(sys.stdout, io.TextIOWrapper):  # JSON is UTF-8 wherever it goes.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if arguments.command is None:
        from app.server import serve  # Streamlit takes seconds to import, and asking needs none of it.

        serve(**where, model=arguments.model, placement=_placement(arguments), lang=_terminal_language())
        return ANSWERED
    if where:
        parser.error(f"--{next(iter(where))} is of the page, which {arguments.command} does not serve")
    questions = _questions(arguments, parser) if arguments.command == "ask" else []
    try:
        if arguments.command == "selftest":
            return _selftest(arguments, load)
        return _ask(arguments, questions, load, folder or user_data_path("loopglass") / "runs")
    except BrokenPipeError:  # Whoever read the output has had enough, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOT_ANSWERED
    except KeyboardInterrupt:
        return NOT_ANSWERED


def command(argv: Sequence[str] | None = None, *, load: Loader = load_checkpoint) -> NoReturn:
    """`main` as a program of its own. A model that still reads a prompt is given a moment, and then the program ends without
    Python's own end, in which torch, still at work, would abort."""
    code = main(argv, load=load)
    if settled(_SETTLE_S):
        sys.exit(code)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    command()
