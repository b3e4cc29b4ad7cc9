"""What the engine is made of: types, traces, programs, rules. Whoever has a tracer has its operators, too."""

from jaxnb.engine.core import operators as operators
