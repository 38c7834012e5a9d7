"""How the site is built: ``sphinx-build -W --keep-going -b html docs docs/_build/html``."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "_extensions")]

import symtape  # noqa: E402

project = "symtape"
author = "the symtape contributors"
copyright = "the symtape contributors. MIT licence"  # noqa: A001
release = version = symtape.__version__

extensions = [
    "myst_nb",  # myst_parser, and pages that are executed
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "report_links",
]
generated = [
    f"{folder}/*.{kind}" for folder in ("gallery", "guides") for kind in ("ipynb", "py", "json")
]
exclude_patterns = ["_build", "latest", *generated]
nitpicky = True

html_theme = "furo"
html_title = "symtape"
html_math_renderer = "mathml"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]

myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]

autodoc_typehints = "none"  # the docstrings say it in words
autodoc_member_order = "bysource"
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_param = False  # types are words: "array_like", "(n,) array"
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_custom_sections = [("Source", "References")]
nitpick_ignore_regex = [("py:class", ".*"), ("py:exc", r"numpy\..*")]
EXTRAS = ("jax", "torch", "autograd", "tensorflow", "hypothesis", "pytest")
autodoc_mock_imports = [name for name in EXTRAS if importlib.util.find_spec(name) is None]

sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples" / name) for name in ("guides", "gallery")],
    "gallery_dirs": ["guides", "gallery"],
    "image_scrapers": ("matplotlib", "error_figures.save_shown"),
    "ignore_repr_types": "ErrorFigure",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "ExampleTitleSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
}

nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
