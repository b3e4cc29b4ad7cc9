"""The line of a magic: options, then a call.

Lives here: the table of options, reading a line by it, and the help that is printed from it. Must not live here:
what an option does, and anything of the engine: this is imported when the extension is loaded.
"""

from __future__ import annotations

import difflib
import keyword
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from IPython.core.error import UsageError

__all__ = ["OPTIONS", "Arguments", "Option", "help_text", "parse_line", "split_options"]


def _to_name(text: str) -> str:
    if not text.isidentifier() or keyword.iskeyword(text):
        raise ValueError(f"it wants a name for a variable, and got {text!r}")
    return text


def _to_names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(name.isidentifier() for name in names):
        raise ValueError(f"it wants names of arguments such as n,axis, and got {text!r}")
    return names


def _to_numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError:
        raise ValueError(f"it wants positions of arguments such as 0,2, and got {text!r}") from None


def _to_setting(text: str) -> tuple[str, bool | int | float | str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise ValueError(f"it wants NAME=VALUE such as xla_cpu_enable_fast_math=true, and got {text!r}")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    for number in (int, float):
        try:
            return name, number(value)
        except ValueError:
            continue
    return name, value


@dataclass(frozen=True)
class Option:
    """One option of the magics.

    Attributes:
        flags: How it is written, short form first.
        help: What it does.
        field: The field of `Arguments` that it sets, or the keyword of `jit` if it starts with ``jit.``.
        metavar: What its value is called; empty for a switch.
        value: Reads the value, or gives that of a switch.
        repeats: Whether it may be given several times; the values then make a dict.
    """

    flags: tuple[str, ...]
    help: str
    field: str
    metavar: str = ""
    value: Callable[[str], Any] = str
    repeats: bool = False


def _on(_: str) -> bool:
    return True


def _off(_: str) -> bool:
    return False


OPTIONS = (
    Option(("-h", "--help"), "print this, and do nothing", "help", value=_on),
    Option(("-o", "--output"), "keep the exploration in the variable NAME", "output", "NAME", _to_name),
    Option(("-q", "--quiet"), "show nothing", "quiet", value=_on),
    Option(("-w", "--widget"), "show a live panel, with buttons to stop and to retry", "widget", value=_on),
    Option(("--wait",), "return when everything has been compiled and run", "wait", value=_on),
    Option(("--no-wait",), "return once the function is traced (the default in a notebook)", "wait", value=_off),
    Option(
        ("--static-argnums",), "positions of arguments compiled in by value",
        "jit.static_argnums", "I,J", _to_numbers,
    ),
    Option(
        ("--static-argnames",), "names of arguments compiled in by value",
        "jit.static_argnames", "A,B", _to_names,
    ),
    Option(
        ("--donate-argnums",), "positions of arguments whose memory results may use",
        "jit.donate_argnums", "I,J", _to_numbers,
    ),
    Option(
        ("--donate-argnames",), "names of arguments whose memory results may use",
        "jit.donate_argnames", "A,B", _to_names,
    ),
    Option(("--keep-unused",), "keep arguments that the function does not use", "jit.keep_unused", value=_on),
    Option(
        ("--compiler-option",), "an option of XLA; may be given several times",
        "jit.compiler_options", "NAME=VALUE", _to_setting, repeats=True,
    ),
)  # fmt: skip
"""What every magic takes."""


@dataclass(frozen=True)
class Arguments:
    """What a magic was asked to do.

    Attributes:
        call: The call as it was written, empty if there is none.
        call_at: Where it begins in the line.
        help: Whether only the help is wanted.
        output: The variable for the exploration.
        quiet: Whether nothing is to be shown.
        widget: Whether the view is to be a live panel.
        wait: Whether to return only when everything is done; None leaves it to the front end.
        jit: Options for `jit`.
    """

    call: str = ""
    call_at: int = 0
    help: bool = False
    output: str | None = None
    quiet: bool = False
    widget: bool = False
    wait: bool | None = None
    jit: dict[str, Any] = field(default_factory=dict)


def find_option(flag: str) -> Option | None:
    """Returns the option written like this; an underscore may stand for a dash inside the name."""
    dashed = flag[:2] + flag[2:].replace("_", "-")
    return next((option for option in OPTIONS if dashed in option.flags), None)


def split_options(line: str) -> tuple[list[tuple[str, str | None]], int]:
    """Splits off the options: ``(flag, value or None)`` each, and where the rest of the line begins.

    The value of an option that wants one is the next word; a rest that follows ``--`` may begin with a dash.
    """
    found: list[tuple[str, str | None]] = []
    at = _skip_blanks(line, 0)
    while line[at : at + 1] == "-" and not _is_number(line[at + 1 : at + 2]):
        word = line[at:].split(maxsplit=1)[0]
        at = _skip_blanks(line, at + len(word))
        if word == "--":
            break
        given = _short_options(word) or [_long_option(word)]
        flag, value = given[-1]
        option = find_option(flag)
        if value is None and option is not None and option.metavar:
            value, at = _take_value(line, at)
            given[-1] = flag, value
        found += given
    return found, at


def _long_option(word: str) -> tuple[str, str | None]:
    flag, equals, value = word.partition("=")
    return flag, value if equals else None


def _short_options(word: str) -> list[tuple[str, str | None]]:
    """Splits a word of one dash and several letters as getopt does: ``-qo r``, ``-or`` and ``-qor`` are ``-q -o r``.

    There are none where a letter is no option, or where the word is a long option that lacks a dash.
    """
    found: list[tuple[str, str | None]] = []
    if word.startswith("--") or find_option(f"-{word.partition('=')[0]}") is not None:
        return found
    for i, letter in enumerate(word[1:], 2):
        option = find_option(f"-{letter}")
        if option is None:
            return []
        if option.metavar or word[i : i + 1] == "=":
            rest = word[i:]
            return [*found, (f"-{letter}", rest.removeprefix("=") if rest else None)]
        found.append((f"-{letter}", None))
    return found


def _skip_blanks(line: str, at: int) -> int:
    return len(line) - len(line[at:].lstrip())


def _is_number(character: str) -> bool:
    return character.isdigit() or character == "."


def _take_value(line: str, at: int) -> tuple[str | None, int]:
    rest = line[at:]
    if not rest:
        return None, at
    if rest[0] in "'\"" and (end := rest.find(rest[0], 1)) > 0:
        return rest[1:end], _skip_blanks(line, at + end + 1)
    word = rest.split(maxsplit=1)[0]
    return word, _skip_blanks(line, at + len(word))


def parse_line(line: str, magic: str) -> Arguments:
    """Reads the line of a magic.

    Args:
        line: What follows the magic's name.
        magic: Its name with percent signs, for messages.

    Raises:
        UsageError: where an option is unknown, lacks its value, or has a wrong one.
    """
    line = line.rstrip()
    given, at = split_options(line)
    fields: dict[str, Any] = {}
    jit: dict[str, Any] = {}
    for flag, text in given:
        option = find_option(flag)
        if option is None:
            raise UsageError(_unknown(flag, line, magic))
        value = _value_of(option, flag, text, magic)
        place, key = (jit, option.field[4:]) if option.field.startswith("jit.") else (fields, option.field)
        if option.repeats:
            place.setdefault(key, {}).update([value])
        else:
            place[key] = value
    return Arguments(call=line[at:], call_at=at, jit=jit, **fields)


def _value_of(option: Option, flag: str, text: str | None, magic: str) -> Any:
    if not option.metavar:
        if text is not None:
            raise UsageError(f"{magic}: {flag} takes no value; write {flag} alone.")
        return option.value("")
    example = f"{magic} {flag} {option.metavar}"
    if not text:
        raise UsageError(f"{magic}: {flag} lacks its value; write {example}.")
    try:
        return option.value(text)
    except ValueError as error:
        raise UsageError(f"{magic}: {flag} cannot be read: {error}; write {example}.") from None


def _unknown(flag: str, line: str, magic: str) -> str:
    flags = [name for option in OPTIONS for name in option.flags]
    near = difflib.get_close_matches(flag, [name for name in flags if len(name) > 2], n=1, cutoff=0.75)
    if near:
        advice = f"did you mean {near[0]}? `{magic} -h` lists them all."
    elif any(character in flag for character in "()[]. "):
        advice = f"to begin the call with a minus sign, write `{magic} -- {line[line.index(flag) :]}`."
    else:
        advice = (
            f"it takes {', '.join(option.flags[0] for option in OPTIONS)}; `{magic} -h` says what they do."
        )
    return f"{magic}: there is no option {flag}; {advice}"


_WANTS_CALL = (
    "The call is any call of a function, with any Python in its arguments; as a cell magic, it is evaluated after",
    "the cell has run. Without one, the last function of the cell is explored when it is first called.",
)
_WANTS_FUNCTION = (
    "The function is any expression that gives one; without it, all functions are listed. The call of a compiled",
    "function may stand in its place: it is carried out and counted, and that function is shown. As a cell magic, it",
    "counts the calls that the cell makes, and the line is evaluated after the cell has run.",
)


def help_text(name: str, summary: str, takes_function: bool = False) -> str:
    """Returns what ``%name -h`` prints and ``%name?`` shows."""
    usage = (
        (f"%{name} [options] [function]", f"%%{name} [options] [function]")
        if takes_function
        else (f"%{name} [options] call", f"%%{name} [options] [call]")
    )
    lines = [
        *usage,
        "",
        *textwrap.wrap(summary, 88),
        "",
        *(_WANTS_FUNCTION if takes_function else _WANTS_CALL),
        "",
        "Options:",
    ]
    for option in OPTIONS:
        flags = ", ".join(option.flags) + (f" {option.metavar}" if option.metavar else "")
        lines.append(f"  {flags:<34} {option.help}")
    return "\n".join(lines) + "\n"
