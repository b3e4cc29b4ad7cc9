"""The explorer: a function followed through every stage of its compilation, the stages linked.

``capture`` takes a front end's data, ``model`` links and folds, ``render`` writes text and HTML. It knows no IPython,
and reaches into the engine through ``capture.engine`` only.
"""
