"""First-order primitives by family; all rules of a primitive stand in its one `define` call."""
