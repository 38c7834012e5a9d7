"""Pictures of results in pages of the gallery: pyplot does not know of them."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst


def save_shown(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figure that a block ends with, and return the text that shows it."""
    shown = block_vars["example_globals"].get("___")
    if not isinstance(shown, Figure):
        return ""
    block_vars["example_globals"]["___"] = None  # the next block may end with no value
    path = next(block_vars["image_path_iterator"])
    shown.savefig(path, dpi=120)
    return str(figure_rst([path], gallery_conf["src_dir"]))
