"""The document model: build a document, lay it out at a width, render the page as text, ANSI, HTML or JSON.

It knows no IR; printers of jaxprs and views of the explorer build on it.
"""

from __future__ import annotations

from jaxnb.doc.layout import DEFAULT_WIDTH as DEFAULT_WIDTH
from jaxnb.doc.layout import Mark as Mark
from jaxnb.doc.layout import Page as Page
from jaxnb.doc.layout import Span as Span
from jaxnb.doc.layout import layout as layout
from jaxnb.doc.layout import to_text as to_text
from jaxnb.doc.model import BREAK as BREAK
from jaxnb.doc.model import EMPTY as EMPTY
from jaxnb.doc.model import HARD_BREAK as HARD_BREAK
from jaxnb.doc.model import SOFT_BREAK as SOFT_BREAK
from jaxnb.doc.model import Doc as Doc
from jaxnb.doc.model import cat as cat
from jaxnb.doc.model import fold as fold
from jaxnb.doc.model import group as group
from jaxnb.doc.model import join as join
from jaxnb.doc.model import line as line
from jaxnb.doc.model import nest as nest
from jaxnb.doc.model import tag as tag
from jaxnb.doc.model import text as text
from jaxnb.doc.renderers import Style as Style
from jaxnb.doc.renderers import to_ansi as to_ansi
from jaxnb.doc.renderers import to_data as to_data
from jaxnb.doc.renderers import to_html as to_html
