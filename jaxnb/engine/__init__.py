"""The tracing engine, in seven rooms, each knowing only those after it: see docs/architecture.md."""
