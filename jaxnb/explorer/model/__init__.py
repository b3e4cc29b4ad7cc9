"""The model of an exploration: texts parsed, stages linked, fates found, the graph folded and laid out."""
