"""Programs of several statements: what the last of them shows is compared.

A script sees ``jax, jnp, lax, np`` and what the prelude defines; it is run as a notebook cell, so that both sides name the
same file in messages, and leaves a list of texts.
"""

from __future__ import annotations

from tests.differential.program import Program

PRELUDE = '''
import contextlib, functools, importlib, io, logging, re, warnings
shown = []
f4, i4, f22 = np.ones(4, np.float32), np.ones(4, np.int32), np.ones((2, 2), np.float32)
held = np.arange(20, dtype=np.float32)
SDS = jax.ShapeDtypeStruct
core = jax._src.core if hasattr(jax, "_src") else jax.core
experimental = importlib.import_module(jax.__name__ + ".experimental")

def plain(text):
    """A text without addresses, times and the names of either package's modules."""
    text = re.sub(r"0x[0-9a-f]{6,}", "0x", str(text))
    text = re.sub(r"id=[0-9]{6,}|object id [0-9]+", "id=", text)
    text = re.sub(r"\\d+\\.\\d{5,} sec", "T sec", text)
    text = re.sub(r"<class '[\\w.]*TypedNdArray'>", "<class 'numpy.ndarray'>", text)
    text = re.sub(r"<class 'jax[a-z]*\\.[\\w.]*?(\\w+)'>", r"<class '\\1'>", text)
    return text

def show(*values):
    shown.extend(plain(v if isinstance(v, str) else repr(v)) for v in values)

def attempt(fun, *args, **kwargs):
    """Shows a result, or the error."""
    try:
        show(fun(*args, **kwargs))
    except Exception as err:
        show(f"{type(err).__name__}: {err}")

@contextlib.contextmanager
def warned():
    """Shows the warnings inside."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    show(*[f"{w.category.__name__}: {w.message}" for w in found])

@contextlib.contextmanager
def logged(**settings):
    """Shows what is logged inside, the loggers' own names aside."""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    logger = logging.getLogger(jax.__name__)
    logger.addHandler(handler)
    before = {k: getattr(jax.config, k) for k in settings}
    for k, v in settings.items():
        jax.config.update(k, v)
    try:
        yield
    finally:
        for k, v in before.items():
            jax.config.update(k, v)
        logger.removeHandler(handler)
    show(out.getvalue())

@contextlib.contextmanager
def printed():
    """Shows what is printed inside, that of computations still running too."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        yield
        jax.effects_barrier()
    show(out.getvalue())

def main_line(lowered):
    """The signature of a module's main function."""
    return lowered.as_text().splitlines()[1].strip()
'''

RUN = (
    "lambda source: (lambda ns: (exec(compile(source, '<ipython-input-1-cell>', 'exec'), ns), ns['shown'])[1])"
    "({'jax': jax, 'jnp': jnp, 'lax': lax, 'np': np, '__name__': '__main__'})"
)


def scripts(text: str, **fields) -> list[Program]:
    """Programs separated by lines ``# name``; each line after a name belongs to its script."""
    found = []
    for part in text.split("\n# ")[1:]:
        name, _, body = part.partition("\n")
        source = f"{PRELUDE}\n{body.rstrip()}\n"
        found.append(Program(name.strip(), RUN, f"({source!r},)", ("repr",), fields))
    return found
