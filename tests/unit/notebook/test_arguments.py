"""The line of a magic: what is read, and what is said where it cannot be."""

from __future__ import annotations

import dataclasses

import pytest
from IPython.core.error import UsageError

from jaxnb.notebook.arguments import OPTIONS, Arguments, help_text, parse_line
from jaxnb.notebook.panel_magics import ALL_MAGICS


def refusal(line, magic="%%jit"):
    with pytest.raises(UsageError) as caught:
        parse_line(line, magic)
    return str(caught.value)


def test_an_empty_line_asks_for_nothing():
    assert parse_line("", "%%jit") == Arguments()


def test_what_follows_the_options_is_the_call_as_it_was_written():
    parsed = parse_line("-o e  -q f(x, 'a  b', -1) ", "%%jit")
    assert (parsed.output, parsed.quiet, parsed.call) == ("e", True, "f(x, 'a  b', -1)")
    assert "-o e  -q f(x"[parsed.call_at :] == "f(x"


@pytest.mark.parametrize(
    "line",
    [
        "-o r -q",
        "-or -q",
        "-o=r -q",
        "-q -o r",
        "-qo r",
        "-qor",
        "-qo=r",
        "-q --output r",
        "--quiet --output=r",
    ],
)
def test_short_options_may_stand_together_and_before_their_value(line):
    parsed = parse_line(f"{line} f(x, y)", "%jaxpr")
    assert (parsed.output, parsed.quiet, parsed.call) == ("r", True, "f(x, y)")


def test_switches_may_stand_together():
    parsed = parse_line("-hqw f(x)", "%jaxpr")
    assert (parsed.help, parsed.quiet, parsed.widget, parsed.call) == (True, True, True, "f(x)")


@pytest.mark.parametrize("option", OPTIONS, ids=lambda one: one.flags[-1])
@pytest.mark.parametrize("magic", [magic.name for magic in ALL_MAGICS])
def test_every_option_is_read_in_every_form(option, magic):
    example = {"NAME": "r", "I,J": "0,2", "A,B": "x,y", "NAME=VALUE": "xla_flag=true"}.get(option.metavar)
    forms = []
    for flag in option.flags:
        if example is None:
            forms.append(flag)
        else:
            forms += [f"{flag} {example}", f"{flag}={example}", f"{flag} '{example}'"]
        if not flag.startswith("--"):
            forms.append(f"-q{flag[1:]}{example or ''}")
            forms += [f"{flag}{example}", f"-q{flag[1:]} {example}"] if example else []
    found = [parse_line(f"{form} f(x)", f"%{magic}") for form in forms]
    assert {one.call for one in found} == {"f(x)"}
    assert len({repr(dataclasses.replace(one, call_at=0, quiet=True)) for one in found}) == 1


def test_a_long_option_with_one_dash_is_refused_with_the_right_one():
    message = "%%jit: there is no option -output; did you mean --output? `%%jit -h` lists them all."
    assert refusal("-output e f(x)") == message
    assert refusal("-quite f(x)").startswith("%%jit: there is no option -quite; did you mean --quiet?")


def test_letters_that_are_no_options_are_refused_together():
    assert refusal("-qx f(x)").startswith("%%jit: there is no option -qx; it takes -h, -o, -q,")
    assert refusal("-qo") == "%%jit: -o lacks its value; write %%jit -o NAME."
    assert refusal("-q=1 f(x)") == "%%jit: -q takes no value; write -q alone."


def test_an_option_inside_the_call_belongs_to_the_call():
    assert parse_line("f(x) -q", "%jaxpr").call == "f(x) -q"


def test_options_of_jit_are_read_into_its_arguments():
    line = "--static-argnums 1,-1 --static_argnames=n,axis --donate-argnums=0 --keep-unused f(x)"
    assert parse_line(line, "%%jit").jit == {
        "static_argnums": (1, -1),
        "static_argnames": ("n", "axis"),
        "donate_argnums": (0,),
        "keep_unused": True,
    }


def test_names_in_quotes_may_have_blanks():
    assert parse_line("--static-argnames 'n, axis' f(x)", "%%jit").jit == {"static_argnames": ("n", "axis")}


def test_options_of_the_compiler_are_collected_with_their_types():
    line = "--compiler-option a=true --compiler-option b=3 --compiler-option c=1.5 --compiler-option d=x f(x)"
    assert parse_line(line, "%%jit").jit["compiler_options"] == {"a": True, "b": 3, "c": 1.5, "d": "x"}


@pytest.mark.parametrize(
    ("line", "call"), [("-- -f(x)", "-f(x)"), ("-1 * f(x)", "-1 * f(x)"), ("-.5", "-.5")]
)
def test_a_call_may_begin_with_a_minus_sign(line, call):
    assert parse_line(line, "%jaxpr").call == call


def test_waiting_is_left_open_unless_it_is_said():
    assert [parse_line(line, "%hlo").wait for line in ("", "--wait", "--no-wait")] == [None, True, False]


def test_an_unknown_option_is_refused_with_what_there_is():
    assert refusal("--frobnicate f(x)").startswith(
        "%%jit: there is no option --frobnicate; it takes -h, -o, -q,"
    )


def test_a_misspelt_option_is_refused_with_the_right_one():
    message = "%%jit: there is no option --static-argname; did you mean --static-argnames? `%%jit -h` lists them all."
    assert refusal("--static-argname n f(x)") == message


def test_a_call_that_looks_like_an_option_is_refused_with_the_way_out():
    message = (
        "%jaxpr: there is no option -f(x); to begin the call with a minus sign, write `%jaxpr -- -f(x)`."
    )
    assert refusal("-f(x)", "%jaxpr") == message


def test_an_option_without_its_value_is_refused():
    assert refusal("-o") == "%%jit: -o lacks its value; write %%jit -o NAME."
    assert (
        refusal("--static-argnums= f(x)")
        == "%%jit: --static-argnums lacks its value; write %%jit --static-argnums I,J."
    )


def test_a_value_of_the_wrong_kind_is_refused():
    assert refusal("-o f(x)") == (
        "%%jit: -o cannot be read: it wants a name for a variable, and got 'f(x)'; write %%jit -o NAME."
    )
    assert refusal("--static-argnums n f(x)") == (
        "%%jit: --static-argnums cannot be read: it wants positions of arguments such as 0,2, and got 'n'; "
        "write %%jit --static-argnums I,J."
    )
    assert "it wants names of arguments such as n,axis" in refusal("--static-argnames 0 f(x)")
    assert "it wants NAME=VALUE" in refusal("--compiler-option fast f(x)")


def test_a_switch_takes_no_value():
    assert refusal("--quiet=1 f(x)") == "%%jit: --quiet takes no value; write --quiet alone."


def test_the_help_names_every_option():
    shown = help_text("jit", "Compiles a function.")
    assert shown.startswith("%jit [options] call\n%%jit [options] [call]\n")
    assert all(flag in shown and option.help in shown for option in OPTIONS for flag in option.flags)
