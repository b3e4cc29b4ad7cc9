"""Higher-order primitives: the jitted call, cond, while, scan, custom rules, checkpoint, callbacks."""
