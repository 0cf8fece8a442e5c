"""Reads calls written as tags: `<function=…>` with a `<parameter=…>` for each argument, and formats of the same shape.

A value ends at the closing tag that is followed by another parameter or by the end of the function; whole calls inside a
value belong to it. Where such a tag is missing, the value ends where the next one shows that it must have ended, and the
call is marked repaired; a call that can be read in two ways is an error. Values are typed by the tool's schema.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from families.base import CallError, Text, Turn
from families.json_calls import (
    SEVERAL,
    CallText,
    bad_arguments,
    excerpt,
    likely_name,
    not_a_call,
    offered,
    read_calls,
    unterminated,
)
from families.lenient_json import JsonError, read_json
from families.reading import Scanner, Span, quoted
from families.schema_values import Schemas, Value, read_value
from families.tags import Tag, TagFormat, Tags
from families.turns import Found, Mark, TurnReader, end_of_text

_WRONG_END = re.compile(r"<[/\\]{1,2} ?([\w.\-]{1,30})[\w ]{0,20}>?\s*\Z")
_WRONG_NAMES = ("param", "arg", "value")
_WRONG_END_REACH = 60
_JSON_BEGINS = re.compile(r"(?:```[a-zA-Z]*+\s*+)?[{\[]")

_MARKED = frozenset({"null", "boolean", "number", "array", "object"})
"""The types of a value that the format marks as JSON."""

_NO_FUNCTION_END = Text("少了函式結尾的標記", "a missing end of the function")
_JSON_ARGUMENTS = Text("引數寫成 JSON", "arguments written as JSON")
_JSON_CALL = Text("呼叫寫成 JSON", "a call written as JSON")
_BETWEEN = Text("參數之間有別的文字", "text stands between the parameters")
_AMBIGUOUS = Text("看不出值在哪裡結束", "there are two readings of where a value ends")
_NOT_CLOSED = Text("參數沒有結尾的標記", "a parameter is not closed")
_NO_TOOL = Text("呼叫標記裡沒有寫工具", "the call's markers name no tool")
_NO_OBJECT = Text("引數不是 JSON 物件", "the arguments are no JSON object")


class _BrokenError(Exception):
    """A call that cannot be read: where, and why; `why` is None where it was cut off. `number` is the tag read last."""

    def __init__(self, at: int, number: int, why: Text | None) -> None:
        super().__init__(why.en if why else "cut off")
        self.at, self.number, self.why = at, number, why


@dataclass
class _Body:
    """What has been read of one call: `at` is the character from which to read on, `next` the tag that stands there."""

    name: str
    begin: int
    at: int
    next: int | None
    number: int
    arguments: dict[str, Any] = field(default_factory=dict)
    slips: list[Text] = field(default_factory=list)
    end_of_arguments: int = 0

    def slip(self, *slips: Text) -> None:
        self.slips += [slip for slip in slips if slip not in self.slips]


def parse_turn(form: TagFormat, raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """Reads one turn of this format; see `families.base.Family` for the other arguments."""
    return read_turn(Scanner(raw), form, tools, prefix)


def read_turn(scanner: Scanner, form: TagFormat, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """`parse_turn` on a scanner, which counts the steps."""
    end = end_of_text(scanner.text, form.stops)
    tags = Tags(scanner, form, end, end < len(scanner.text))
    return TurnReader(scanner, end, tags, CallReader(tags, tools), prefix).read()


class CallReader:
    """Reads the calls of one turn."""

    def __init__(self, tags: Tags, tools: Sequence[Mapping[str, Any]]) -> None:
        self._tags, self._form, self._scanner, self._text = tags, tags.form, tags.scanner, tags.text
        self._names, self._schemas = offered(tools), Schemas(tools)
        # Reading a call that turns out to be broken is lost work, and a hostile text could make every attempt run to its
        # end. So the steps of all of it together are limited; after that a value ends at the first tag that could end it.
        self._patience = 8 * len(self._text) + 1000

    def offers(self, name: str) -> bool:
        """Whether a tool of this name is offered."""
        return name in self._schemas

    def read(self, opener: Mark, in_sentence: bool) -> Found | None:
        """The calls that begin at `opener`; None where it is only the marker's name in a text.

        `in_sentence` says that words stand before it on its line.
        """
        tags, first = self._tags, self._tags.at(opener.start)
        assert first is not None, "every marker is a tag"
        number = tags.leads_to[first]
        if number is None:
            return self._without_function(opener, first, in_sentence)
        begins = tags.begins[number]
        if self._form.end_call and first == number:  # No marker stands around it, so that it must be a call beyond doubt.
            meant = begins and self.offers(tags.tags[number].name)
        else:
            meant = begins or not in_sentence
        if not meant or quoted(self._text, opener.start, opener.end):
            return None
        began = self._scanner.steps
        found = self._function_calls(first, number)
        if not found.whole:
            self._patience -= self._scanner.steps - began
            found.final = not tags.thinking_ends(found.start, found.end)
        return found

    def _function_calls(self, first: int, function: int) -> Found:
        """The calls that begin at the tag `first`, the first of them with `function`, and the closing marker after them."""
        tags, form = self._tags, self._form
        call, end = self._call(function)
        calls = [call]
        while form.end_call and call.error is None:
            number = tags.at(tags.past_space(end))
            if number is None or not tags.begins[number]:
                break
            call, after = self._call(number)
            if call.error is None:  # A broken one is found again, on its own.
                calls.append(call)
                end = after
        found = Found(calls, tags.tags[first].start, end)
        if len(calls) > 1 and not form.several:
            found.slip(SEVERAL)
        if form.end_call and first == function:
            found.slip(Text(f"少了開頭的 {form.call}", f"a missing {form.call}"))
        if function - first > 1:
            found.slip(Text(f"開頭的 {form.call} 重複了", f"a doubled {form.call}"))
        if form.end_call and found.whole:
            self._close(found)
        return found

    def _close(self, found: Found) -> None:
        """Finds the marker that ends the calls."""
        tags, form = self._tags, self._form
        after = tags.past_space(found.end)
        number = tags.at(after)
        if number is not None and tags.kind(number) == "end_call":
            found.end = tags.tags[number].end
        elif tags.cut_at(after):
            self._cut_after(found, after)
        elif wrong := self._wrong_end_of_call(after, number):
            found.slip(Text(f"結尾的標記寫成 {wrong}", f"the closing marker written {wrong}"))
            found.end = after + len(wrong)
        else:
            found.slip(Text(f"少了結尾的 {form.end_call}", f"a missing {form.end_call}"))

    def _cut_after(self, found: Found, after: int) -> None:
        """The turn was cut off at `after`, behind a call: in the closing marker, or in the first tag of another call."""
        rest = self._text[after : self._tags.end]
        if self._form.several and not self._form.end_call.startswith(rest):
            found.calls.append(CallText("", None, rest, (after, self._tags.end), error=unterminated(self._tags.end)))
        else:  # Those before it are closed by tags of their own.
            found.calls[-1].error = unterminated(self._tags.end)
        found.end = self._tags.end

    def _wrong_end_of_call(self, at: int, number: int | None) -> str:
        """What stands at `at`, where the tag `number` may stand, in place of the closing marker; "" where nothing does."""
        if number is None:
            return self._tags.like_closer(at)
        return self._form.call if self._tags.kind(number) == "call" and self._tags.leads_to[number] is None else ""

    # One call.

    def _call(self, number: int) -> tuple[CallText, int]:
        """The call whose function is the tag `number`, and where it ends."""
        tag = self._tags.tags[number]
        body = _Body(tag.name, tag.end, tag.after, tag.following, number)
        self._note_spelling(body, tag, self._form.exact_function)
        try:
            end = self._body(body)
        except _BrokenError as broken:
            return self._broken(body, tag, broken)
        raw_args = self._text[body.begin : body.end_of_arguments].strip()
        return CallText(body.name, body.arguments, raw_args, (tag.start, end), body.slips), end

    def _body(self, body: _Body) -> int:
        """Reads the arguments; the character after the call. Raises _BrokenError."""
        tags = self._tags
        while tags.kind(body.next) == "parameter":
            assert body.next is not None, "a tag that has a kind has a number"
            self._parameter(body, body.next)
        whole, end_whole = self._form.whole
        if whole and not body.arguments and self._text.startswith(whole, body.at):
            self._go_on(body, body.at + len(whole))
            self._json_arguments(body)
            if self._text.startswith(end_whole, body.at):
                body.slips.remove(_JSON_ARGUMENTS)
                self._go_on(body, body.at + len(end_whole))
        elif not body.arguments and self._text.startswith("{", body.at):
            self._json_arguments(body)
        body.end_of_arguments = body.at
        if tags.kind(body.next) == "end_function":
            assert body.next is not None, "a tag that has a kind has a number"
            return tags.tags[body.next].end
        return self._missing_end(body)

    def _missing_end(self, body: _Body) -> int:
        """Where a call ends whose closing tag is missing or misspelt. Raises _BrokenError where it is not over."""
        tags, at = self._tags, body.at
        cut = not tags.ended and tags.last_end < body.number
        if cut or tags.cut_at(at) or (at == tags.end and not body.arguments):
            raise _BrokenError(tags.end, body.number, None)
        if tags.kind(body.next) in ("end_call", "call", "function") or at == tags.end:
            body.slip(_NO_FUNCTION_END)
            return at
        if body.next is None and (wrong := tags.like_closer(at)):
            body.slip(Text(f"函式結尾的標記寫成 {wrong}", f"the end of the function written {wrong}"))
            return at + len(wrong)
        raise _BrokenError(at, body.number, _BETWEEN)

    def _json_arguments(self, body: _Body) -> None:
        """Arguments as one JSON object instead of tags. Raises _BrokenError."""
        tags, closer = self._tags, body.number + 1
        while closer < len(tags.tags) and tags.kind(closer) != "end_function" and not tags.begins[closer]:
            closer += 1
        limit = tags.tags[closer].start if closer < len(tags.tags) else tags.end
        try:
            reading = read_json(self._scanner, body.at, limit, closed=limit < tags.end)
        except JsonError as error:
            cut = error.cut and limit == tags.end
            raise _BrokenError(error.at, body.number, None if cut else error.text) from error
        if not isinstance(reading.value, dict):
            raise _BrokenError(body.at, body.number, _NO_OBJECT)
        body.arguments = reading.value
        body.slip(_JSON_ARGUMENTS, *reading.slips)
        self._go_on(body, reading.end)

    def _go_on(self, body: _Body, at: int) -> None:
        """Reading goes on with what stands at or after the character `at`."""
        tags = self._tags
        body.at = tags.past_space(at)
        body.next = tags.at(body.at)

    def _parameter(self, body: _Body, number: int) -> None:
        """Reads one argument. Raises _BrokenError."""
        tag = self._tags.tags[number]
        body.number = number
        self._note_spelling(body, tag, self._form.exact_parameter)
        end, closer = self._value_end(body, number)
        text = self._value_text(body, tag, end, closed=closer is not None)
        value, slips = self._value(body, tag, text)
        if tag.name in body.arguments and repr(body.arguments[tag.name]) != repr(value):
            again = Text(f"參數「{tag.name}」出現兩次，值卻不同", f"the parameter {tag.name!r} appears twice, with two values")
            raise _BrokenError(tag.start, number, again)
        body.arguments[tag.name] = value
        body.slip(*slips)
        if closer is None:
            body.slip(Text(f"「{tag.name}」少了結尾的標記", f"a missing end of {tag.name!r}"))
        self._go_on(body, end if closer is None else self._tags.tags[closer].end)

    def _value(self, body: _Body, tag: Tag, text: str) -> Value:
        """The value that the text of an argument stands for: its mark says so where the format has marks, else the schema."""
        types = _MARKED if tag.mark else self._schemas.types(body.name, tag.name)
        return (text, ()) if tag.mark and tag.mark == self._form.text_mark else read_value(self._scanner, text, types, tag.name)

    def _value_end(self, body: _Body, number: int) -> tuple[int, int | None]:
        """Where the value of the parameter `number` ends, and the tag that closes it, if one does. Raises _BrokenError."""
        tags, at = self._tags, number + 1
        stray: int | None = None
        goal = tags.value_end[at] if self._patience > 0 else None
        while at < (len(tags.tags) if goal is None else goal):
            if tags.begins[at]:
                if goal is None:
                    break
                at = tags.matching[at]  # A whole call inside the value.
            elif goal is None and (tags.almost[at] or (tags.kind(at) == "end_parameter" and tags.closes[at])):
                return tags.tags[at].start, at
            elif self._ends_unclosed(body, number, at, goal is None):
                if stray is not None:
                    raise _BrokenError(tags.tags[stray].after, number, _AMBIGUOUS)
                return tags.tags[at].start, None
            if stray is None and tags.kind(at) == "end_parameter":
                stray = at
            at += 1
        self._scanner.steps += at - number
        if goal is not None:
            return tags.tags[goal].start, goal
        # Cut off inside the value, what looks like another call may be part of it: it must not be run.
        cut = at == len(tags.tags) or not tags.ended
        raise _BrokenError(tags.end if cut else tags.outer[at], number, None if cut else _NOT_CLOSED)

    def _ends_unclosed(self, body: _Body, number: int, at: int, closing: bool) -> bool:
        """Whether the value of `number` must have ended before the tag `at`; `closing` says that closing tags count too."""
        if self._tags.kind(at) == "parameter":
            return self._is_next(body, number, at)
        return closing and self._tags.kind(at) in ("end_function", "end_call") and self._tags.closes[at]

    def _is_next(self, body: _Body, number: int, at: int) -> bool:
        """Whether the tag `at` is the next parameter, so that the end of the one before it is missing, or part of a value."""
        tags, tag = self._tags, self._tags.tags[at]
        following = at + 1 if at + 1 < len(tags.tags) else None
        if following and tags.kind(following) == "end_parameter" and not (tags.closes[following] or tags.almost[following]):
            return False  # It has a closing tag of its own that ends no parameter: both belong to the value.
        if self._wrong_end(tags.tags[number], tag.start):
            return True
        before = self._text[max(tags.tags[number].end, tag.start - _WRONG_END_REACH) : tag.start]
        on_a_line = before.rstrip(" ").endswith("\n") or not self._text.startswith("\n", tags.tags[number].end)
        if not on_a_line or tag.name in body.arguments or tag.name == tags.tags[number].name:
            return False
        names = self._schemas.parameters(body.name)
        return not names or tag.name in names

    def _wrong_end(self, tag: Tag, end: int) -> re.Match[str] | None:
        """What ends the value of a parameter's `tag` before the character `end` in place of its closing tag."""
        found = _WRONG_END.search(self._text, max(tag.end, end - _WRONG_END_REACH), end)
        return found if found and (found[1].startswith(_WRONG_NAMES) or found[1] == tag.name) else None

    def _value_text(self, body: _Body, tag: Tag, end: int, closed: bool) -> str:
        """The text of a value, without the layout around it and without a misspelt closing tag."""
        start = tag.end
        if not closed and (wrong := self._wrong_end(tag, end)):
            end = wrong.start()
            body.slip(Text(f"結尾的標記寫成 {wrong[0].strip()}", f"a closing tag written {wrong[0].strip()}"))
        self._scanner.steps += end - start
        if not self._form.layout:
            return self._text[start:end]
        text = self._text[start:end].removeprefix("\n")
        return text.removesuffix("\n")

    def _note_spelling(self, body: _Body, tag: Tag, exact: re.Pattern[str]) -> None:
        wrote = self._text[tag.start : tag.end]
        if not exact.fullmatch(wrote):
            body.slip(Text(f"標記寫成 {excerpt(wrote, 0)}", f"a tag written {excerpt(wrote, 0)}"))

    # Calls that cannot be read.

    def _broken(self, body: _Body, tag: Tag, broken: _BrokenError) -> tuple[CallText, int]:
        """A call that cannot be read: it ends with its closing tags, or where the next call begins."""
        stop, end = (self._tags.end, self._tags.end) if broken.why is None else self._end_of_broken(broken)
        if broken.why is None:
            error = unterminated(broken.at)
        else:
            error = bad_arguments(self._text, broken.at, broken.why, max(stop, broken.at))
        return CallText(body.name, None, self._scanner.broken(tag.end, stop), (tag.start, end), error=error), end

    def _end_of_broken(self, broken: _BrokenError) -> Span:
        """Where the text of a broken call ends, and where its closing tags do."""
        tags = self._tags
        for number in range(broken.number + 1, len(tags.tags)):
            here = tags.tags[number]
            self._scanner.steps += 1
            if tags.begins[number]:
                return tags.outer[number], tags.outer[number]
            ends = here.kind == "end_call" or (here.kind == "end_function" and tags.closes[number])
            if ends and here.start >= broken.at:
                wrapper = here.following if tags.kind(here.following) == "end_call" else None
                return here.start, here.end if wrapper is None else tags.tags[wrapper].end
        return tags.end, tags.end

    def _without_function(self, opener: Mark, number: int, in_sentence: bool) -> Found | None:
        """A marker that no function follows: JSON, a call cut off, a call that is none, or the marker's name in a sentence."""
        tags = self._tags
        tag = tags.tags[number]
        if quoted(self._text, opener.start, opener.end):
            return None
        if self._scanner.match(_JSON_BEGINS, tag.after, tags.end):
            return self._json_call(tag, number)
        following = number + 1
        while following < len(tags.tags) and tags.kind(following) in ("end_function", "parameter", "end_parameter"):
            following += 1
        closed = following < len(tags.tags) and tags.kind(following) == "end_call"
        more = closed or in_sentence or following < len(tags.tags)
        if tags.cut_at(tag.after) or not (more or tags.ended):
            return self._error_call(tag, tags.end, tags.end, unterminated(tags.end))
        if not closed and more:
            return None
        stop = tags.tags[following].start if closed else tags.end
        return self._error_call(tag, stop, tags.tags[following].end if closed else stop, self._no_call(tag, stop))

    def _no_call(self, tag: Tag, stop: int) -> CallError:
        if likely_name(self._scanner, tag.end, stop):
            return bad_arguments(self._text, tag.end, _NO_OBJECT, stop)
        return not_a_call(tag.end, _NO_TOOL, excerpt(self._text, tag.after, stop))

    def _error_call(self, tag: Tag, stop: int, end: int, error: CallError) -> Found:
        name = likely_name(self._scanner, tag.end, stop)
        raw_args = self._scanner.broken(tag.end, stop)
        return Found([CallText(name, None, raw_args, (tag.end, stop), error=error)], tag.start, end)

    def _json_call(self, tag: Tag, number: int) -> Found:
        """A call that is written as JSON, as other families do: up to its closing marker or the next one that opens a call."""
        tags = self._tags
        limit_at = number + 1
        ends = ("end_call",) if self._form.end_call else ("end_function",)
        while limit_at < len(tags.tags) and tags.kind(limit_at) not in (*ends, "call") and not tags.begins[limit_at]:
            limit_at += 1
        last = limit_at == len(tags.tags)
        cut = last and not tags.ended
        limit = tags.end if last else tags.tags[limit_at].start
        closed = not last and tags.kind(limit_at) in ends
        end = tags.tags[limit_at].end if closed else limit
        try:
            calls, after = read_calls(self._scanner, tag.after, limit, self._names, closed=closed)
        except JsonError as error:
            problem = bad_arguments(self._text, error.at, error.text, limit)
            return self._error_call(tag, limit, end, unterminated(error.at) if cut or (last and error.cut) else problem)
        if not calls or tags.past_space(after) < limit:
            in_tag = tags.cut_at(tags.past_space(after))
            problem = unterminated(tags.end) if in_tag else bad_arguments(self._text, after, _NO_OBJECT, limit)
            return self._error_call(tag, limit, end, problem)
        found = Found(calls, tag.start, end)
        found.slip(_JSON_CALL)
        if cut:
            found.cut(tags.end)
        return found

    # Calls without all their markers.

    def without_opener(self, start: int, closer: Mark, fenced: bool) -> Found | None:
        """None: a call's own tags show where it begins, so that `read` finds it without the marker around it."""
        return None

    def bare(self, span: Span) -> Found | None:
        """A call as JSON without any tag: a call to a tool that is offered, and nothing else."""
        if not self._text.startswith(("{", "["), span[0]):
            return None
        try:
            calls, after = read_calls(self._scanner, *span, self._names, closed=False)
        except JsonError:
            return None
        found = Found(calls, *span)
        if after != span[1] or not found.whole or not all(call.raw_args and self.offers(call.name) for call in calls):
            return None
        found.slip(_JSON_CALL)
        return found
