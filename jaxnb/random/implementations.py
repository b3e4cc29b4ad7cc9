"""The implementations of random bits, by name."""

from __future__ import annotations

from jaxnb.engine.ops.key_types import PRNGImpl
from jaxnb.random.threefry import threefry_prng_impl

__all__ = ["implementation_named", "implementations"]

implementations: dict[str, PRNGImpl] = {"threefry2x32": threefry_prng_impl}


def implementation_named(name: str) -> PRNGImpl:
    """Returns an implementation.

    Raises:
        ValueError: where there is none of that name.
    """
    if name not in implementations:
        known = ", ".join(f'"{n}"' for n in implementations)
        raise ValueError(f'unrecognized PRNG implementation "{name}". Did you mean one of: {known}?')
    return implementations[name]
