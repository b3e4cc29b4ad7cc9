"""`make bench`: jaxnb beside real jax of the same jaxlib, in processes of their own, interleaved in one run."""
