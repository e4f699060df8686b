# SPDX-License-Identifier: Apache-2.0
"""The error that a failed proof raises."""

from __future__ import annotations

__all__ = ["ProofError"]


class ProofError(Exception):
    """The program, or a rewritten graph, does not compute the definition.  The message is one line that says
    where.
    """
