# SPDX-License-Identifier: Apache-2.0
"""The bench of a core behind the LWC interface: words of PDI and SDI, and every word that DO has to give.

::

    phase    messages
    unkeyed  one before any key, which fails
    mixed    each direction, lengths around blocks, several segments, wrong tags, a new key now and then
    faults   wrong instructions, types, orders and lengths, with a good message behind each

All phases run twice: at full speed, and with pauses of PDI, SDI and DO.  A reset lies between.
"""

from __future__ import annotations

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.lwc.vectors import LwcVectors, lwc_vectors
from modeloom.cores.template import filled
from modeloom.product.lwc import LwcDescription
from modeloom.version import VERSION

__all__ = ["bench_limit", "bench_verilog"]


def bench_limit(d: LwcDescription, vectors: LwcVectors) -> int:
    """Cycles in which all messages are done, with pauses."""
    return 64 * (len(vectors.pdi) + len(vectors.do)) + 8 * len(vectors.sdi) * (d.key_erase_cycles + 500) + 8 * d.erase_cycles + 4000


def bench_verilog(compiled: CompiledStream, d: LwcDescription) -> str:
    """The text of the bench, in SystemVerilog."""
    vectors = lwc_vectors(compiled, d)
    bits = d.interface_bits
    columns = {"pdi": vectors.pdi, "sdi": vectors.sdi, "wanted": [word for word, _ in vectors.do]}
    lines = [f"{name}[{at}] = {bits}'h{word:0{bits // 4}x};" for name, words in columns.items() for at, word in enumerate(words)]
    lines += [f"wanted_last[{at}] = 1'b{last};" for at, (_, last) in enumerate(vectors.do)]
    values = {
        "NAME": d.name, "VERSION": VERSION, "WORD_BITS": bits, "PDI_WORDS": len(vectors.pdi), "SDI_WORDS": len(vectors.sdi),
        "DO_WORDS": len(vectors.do), "MESSAGES": vectors.messages, "LIMIT": bench_limit(d, vectors), "VECTORS": "\n".join(lines),
    }  # fmt: skip
    return filled(__package__ or "", "bench.sv", values)
