"""The tracing engine, in seven rooms: api, runtime, linalg, control, transforms, ops, core; each knows only those after it."""
