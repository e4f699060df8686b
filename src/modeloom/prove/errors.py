# SPDX-License-Identifier: Apache-2.0
"""The error of a proof that fails."""

from __future__ import annotations

__all__ = ["ProofError"]


class ProofError(Exception):
    """The program, or a rewrite of the graph, does not compute the definition; the message is one line that says
    where.
    """
