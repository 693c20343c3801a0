"""How the documentation is built: Sphinx, furo, MyST; reference pages are generated from the code at every build."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

from gearwright import __version__  # noqa: E402

project = "Gearwright"
author = "The Gearwright developers"
project_copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml", "docstrings", "reference_pages"]
exclude_patterns = ["_build", "_ext"]
html_theme = "furo"
html_title = f"Gearwright {version}"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_math_renderer = "mathml"
html_copy_source = False

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {name: name for name in ("ArrayLike", "Array", "Row", "Scalar", "Wrenches", "BaseMotion")}
python_maximum_signature_line_length = 90
napoleon_google_docstring = True
napoleon_numpy_docstring = False
