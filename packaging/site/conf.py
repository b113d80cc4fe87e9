# The site of the documents. scripts/docs_site.py copies the documents next to this file.
project = "Tenon"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Tenon"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
# Images that raw HTML names, pages of models, and the reference of the headers.
html_extra_path = ["extra"]
exclude_patterns = ["extra"]
# Links to headings are as on the hosts of repositories.
myst_heading_anchors = 6
# Blocks of dialects and sessions that the highlighter does not know stay as they are.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
