# SPDX-License-Identifier: Apache-2.0
"""The error that a failed proof raises."""

from __future__ import annotations

from modeloom.spec.errors import FailedCheck

__all__ = ["ProofError"]


class ProofError(FailedCheck):
    """The program, or a rewritten graph, does not compute the definition.  The message is one line that says
    where.
    """
