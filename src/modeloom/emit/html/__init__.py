# SPDX-License-Identifier: Apache-2.0
"""The datasheet of a core as one page of HTML, which loads nothing from elsewhere.

::

    page          skeleton, sections of the Markdown datasheet, figures, lines of the definition
    style         colours, light and dark, for screens of any width; the script that zooms charts
    pictures      charts of cycles or stages, whose cells are links to lines of the definition, and the block diagram
    measured      what was measured after the build, put into the page of a folder: timing as waves, and the area of the blocks
"""

from modeloom.emit.html.measured import Measured, read_measured
from modeloom.emit.html.page import html_datasheet

__all__ = ["Measured", "html_datasheet", "read_measured"]
