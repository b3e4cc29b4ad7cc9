"""How Sphinx reads these pages: `make docs`."""

project = "jaxnb"
author = "the jaxnb authors"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "jaxnb"
# the layer lists have a word of their own where a language would stand, so that a test finds them
suppress_warnings = ["misc.highlighting_failure"]
