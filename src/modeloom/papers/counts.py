# SPDX-License-Identifier: Apache-2.0
"""Numbers of operations in the definition of a mode, for Table 1 of tes2010: for a sector, and separately for the set-up."""

from __future__ import annotations

from modeloom.ir.expand import expand
from modeloom.ir.graph import reached
from modeloom.ir.trace import trace
from modeloom.spec import Mode
from modeloom.spec.kinds import MUL

__all__ = ["COUNTS", "operations"]

COUNTS = ("calls", "multiplications", "setup_calls", "setup_multiplications", "keys")
"""Names of the figures."""


def operations(mode: Mode, blocks: int) -> dict[str, int]:
    """Cipher calls and products for a sector, with Horner's rule and no interleaved chains.  The larger number of both directions counts.

    Returns
    -------
    dict
        ``calls``, ``multiplications``, ``setup_calls``, ``setup_multiplications`` (both for one key and sector size) and ``keys``,
        the number of keys that the user provides.
    """
    source = expand(trace(mode, blocks * mode.block_bytes, mode.tweak_sizes[0]), 1)
    needed = [reached(source.nodes, outputs) for outputs in source.outputs.values()]
    # No output reads the cipher keys that the set-up makes.
    read = set().union(*needed, reached(source.nodes, [i for blocks in source.derived for i in blocks]))
    setup = [node for node in source.nodes if node.key_only and node.id in read]
    sectors = [[source.nodes[i] for i in ids if not source.nodes[i].key_only] for ids in needed]
    return {
        "calls": max(sum(node.keyed for node in nodes) for nodes in sectors),
        "multiplications": max(sum(node.kind == MUL for node in nodes) for nodes in sectors),
        "setup_calls": sum(node.keyed for node in setup),
        "setup_multiplications": sum(node.kind == MUL for node in setup),
        "keys": len(mode.key_parts),
    }
