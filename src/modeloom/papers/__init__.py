# SPDX-License-Identifier: Apache-2.0
"""The papers' tables of modes beside ours: what is printed, what was measured of ours, and both as data and as a page."""

from modeloom.papers.page import page
from modeloom.papers.tables import SCHEMA, tables

__all__ = ["SCHEMA", "page", "tables"]
