# SPDX-License-Identifier: Apache-2.0
"""The datasheet of a core as one page of HTML, which loads nothing from elsewhere.

::

    page          skeleton, sections, links between them
    style         colours, light and dark, for screens of any width; the script that zooms charts
    markdown      sections of the Markdown datasheet as HTML
    diagram       units, storages and buses of the core
    schedule      charts of cycles or stages, whose cells are links to lines of the definition
    definition    these lines
    waves         WaveJSON as SVG
    treemap       the area of the blocks
    measured      what the page holds that was measured after the build: timing and area
    complete      puts these into the page of a folder
"""

from modeloom.emit.html.measured import Measured, read_measured
from modeloom.emit.html.page import html_datasheet

__all__ = ["Measured", "html_datasheet", "read_measured"]
