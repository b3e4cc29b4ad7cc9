"""Pygments lexers for jaxprs, StableHLO and HLO, for nbconvert and terminals.

What lives here: three small grammars. What must not: anything but tokens.
"""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

_TYPE = r"(?:(?:f8_\w+|f8\w*|bf16|[fuis]\d+|c\d+|bool|pred|key<\w+>|token|float0)(?:\[[^\]\n]*\])(?:\{[^}\n]*\})?)"
_NUMBER = r"-?(?:\d+\.\d*(?:e[+-]?\d+)?|\d+(?:e[+-]?\d+)?|inf|nan)(?![\w.])"
_NUMBERS = (rf"(?<![\w.]){_NUMBER}", Number)


class JaxprLexer(RegexLexer):
    """Jaxprs as JAX prints them."""

    name = "jaxpr"
    url = "https://docs.jax.dev/en/latest/jaxpr.html"
    aliases: ClassVar[list[str]] = ["jaxpr"]
    filenames: ClassVar[list[str]] = ["*.jaxpr"]
    mimetypes: ClassVar[list[str]] = ["text/x-jaxpr"]
    version_added = ""
    tokens: ClassVar[dict[str, list[tuple[object, ...]]]] = {
        "root": [
            (r"\s+", Text),
            (r"#.*$", Comment.Single),
            (r"\b(lambda|let|in)\b", Keyword),
            (rf"(:)({_TYPE})", bygroups(Punctuation, Keyword.Type)),
            (r"(=)(\s+)([A-Za-z_]\w*(?:-\w+)*)", bygroups(Operator, Text, Name.Function)),
            (r"([A-Za-z_]\w*)(=)", bygroups(Name.Attribute, Operator)),
            (r"\b(True|False|None)\b", Keyword.Constant),
            (r"'[^'\n]*'|\"[^\"\n]*\"", String),
            _NUMBERS,
            (r"[A-Za-z_][\w.]*", Name.Variable),
            (r"[{}()\[\],;:.<>]", Punctuation),
            (r"[=|*/+\-@~!?&%^]", Operator),
            (r".", Text),
        ],
    }


class StableHLOLexer(RegexLexer):
    """StableHLO, and MLIR in general, in its printed form."""

    name = "StableHLO"
    url = "https://openxla.org/stablehlo"
    aliases: ClassVar[list[str]] = ["stablehlo", "mlir"]
    filenames: ClassVar[list[str]] = ["*.mlir"]
    mimetypes: ClassVar[list[str]] = ["text/x-mlir"]
    version_added = ""
    tokens: ClassVar[dict[str, list[tuple[object, ...]]]] = {
        "root": [
            (r"\s+", Text),
            (r"//.*$", Comment.Single),
            (r'"(?:[^"\\\n]|\\.)*"', String),
            (r"#loc\d*\b", Comment.Special),
            (r"[#!][A-Za-z_][\w.]*", Name.Decorator),
            (r"(tensor|memref|vector|tuple|complex)(<)([^<>\n]*)(>)", bygroups(
                Keyword.Type, Punctuation, Keyword.Type, Punctuation)),
            (r"%[\w$.\-]+(?:#\d+)?", Name.Variable),
            (r"@[\w$.\-]+", Name.Function),
            (r"\^\w+", Name.Label),
            (r"\b(module|func\.func|public|private|attributes|return|call|loc|cond|do|applies|across|dimensions|init)\b",
             Keyword),
            (r"\b[a-z_]+\.[\w.]+", Name.Function),
            (r"\b(?:[su]?i\d+|f\d+|bf16|index|none)\b", Keyword.Type),
            (r"\b(true|false|dense|array|unit)\b", Keyword.Constant),
            (r"0x[0-9A-Fa-f]+", Number.Hex),
            _NUMBERS,
            (r"([A-Za-z_]\w*)(\s*)(=)", bygroups(Name.Attribute, Text, Operator)),
            (r"[A-Za-z_][\w.]*", Name),
            (r"->|[=:]", Operator),
            (r"[{}()\[\],<>]", Punctuation),
            (r".", Text),
        ],
    }  # fmt: skip


class HLOLexer(RegexLexer):
    """HLO as XLA prints it."""

    name = "HLO"
    url = "https://openxla.org/xla/operation_semantics"
    aliases: ClassVar[list[str]] = ["hlo"]
    filenames: ClassVar[list[str]] = ["*.hlo"]
    mimetypes: ClassVar[list[str]] = ["text/x-hlo"]
    version_added = ""
    tokens: ClassVar[dict[str, list[tuple[object, ...]]]] = {
        "root": [
            (r"\s+", Text),
            (r"/\*.*?\*/|//.*$", Comment),
            (r'"(?:[^"\\\n]|\\.)*"', String),
            (r"\b(HloModule|ENTRY|ROOT)\b", Keyword),
            (r"^(FileNames|FunctionNames|FileLocations|StackFrames)$", Keyword.Namespace),
            (_TYPE, Keyword.Type),
            (r"%[\w.\-]+", Name.Variable),
            (r"([a-z][a-z0-9\-]*)(\()", bygroups(Name.Function, Punctuation)),
            (r"([A-Za-z_]\w*)(=)", bygroups(Name.Attribute, Operator)),
            (r"\b(true|false)\b", Keyword.Constant),
            _NUMBERS,
            (r"[A-Za-z_][\w.\-]*", Name),
            (r"->|=", Operator),
            (r"[{}()\[\],:;<>]", Punctuation),
            (r".", Text),
        ],
    }
