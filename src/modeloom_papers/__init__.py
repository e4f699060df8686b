# SPDX-License-Identifier: Apache-2.0
"""The papers' tables of modes beside our results: the printed figures, our measured figures, and both as data and as a page."""

from modeloom_papers.page import page
from modeloom_papers.tables import SCHEMA, tables

__all__ = ["SCHEMA", "page", "tables"]
