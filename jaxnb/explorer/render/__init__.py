"""Renderers: plain text, HTML, the MIME bundle, and lexers."""
