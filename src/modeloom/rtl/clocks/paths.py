# SPDX-License-Identifier: Apache-2.0
"""The paths between clocks: from which registers to which ones, by their names in the emitted Verilog.

::

    gray     Gray code, into a synchroniser       the bits may come at most a cycle of their own clock apart
    bit      one bit, into a synchroniser
    word     what stands still since a bit of its own has begun to cross
    memory   a word of a queue, which was written before the place behind it crossed
    reset    an asynchronous reset, into the registers that catch it
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from modeloom.interfaces.front import APB
from modeloom.rtl.clocks.crossings import CORE, KEYS, RESULTS, STATUSES, CrossingParameters

__all__ = ["CrossingPath", "crossing_paths"]


@dataclass(frozen=True)
class CrossingPath:
    """Registers or a memory, and registers of another clock.

    Attributes
    ----------
    kind : str
    source, target : str
        Instances and a register, with "/" between them.  A reset has no source.
    """

    kind: str
    source: str
    target: str


def crossing_paths(parameters: CrossingParameters) -> tuple[CrossingPath, ...]:
    """All paths between clocks in the module of the crossings."""
    return tuple(_paths(parameters))


def _paths(p: CrossingParameters) -> Iterator[CrossingPath]:
    if p.asynchronous:
        yield CrossingPath("reset", "", "reset_catcher/caught_reg")
        # It begins at any time, though its source has the clock of its target.
        yield CrossingPath("bit", "reset_catcher/caught_reg", "reset_catcher/to_core/meta_reg")
    for clock in p.clocks:
        yield CrossingPath("bit", f"{clock}_core/asks", f"{clock}_asked/meta_reg")
        yield CrossingPath("bit", f"{clock}_core/resets", f"{clock}_resets/meta_reg")
        yield CrossingPath("bit", f"{clock}_host/answer", f"{clock}_answer/meta_reg")
    for one in p.streams:
        if one.clock == CORE:
            continue
        name = one.name
        yield CrossingPath("gray", f"{name}/w_gray_reg", f"{name}/to_read/meta_reg")
        yield CrossingPath("gray", f"{name}/r_gray_reg", f"{name}/to_write/meta_reg")
        yield CrossingPath("memory", f"{name}/beats", f"{name}/o_payload")
    results, statuses = p.stream(RESULTS), p.stream(STATUSES)
    apart = statuses is not None and results is not None and results.clock != statuses.clock
    if apart or results is not None and p.ordered:
        yield CrossingPath("gray", "taken_ends/seen", "order/to_statuses/meta_reg")
    if p.key_flags and p.stream(KEYS) is not None:
        yield CrossingPath("bit", "key_flags/turn_reg", "key_flags/to_host/meta_reg")
        yield CrossingPath("bit", "key_flags/answer_reg", "key_flags/to_core/meta_reg")
        yield CrossingPath("word", "key_flags/sent_reg", "key_flags/o")
    if p.register_clock and p.register_bus == APB:
        yield CrossingPath("bit", "s_apb/request_reg", "s_apb/to_core/meta_reg")
        yield CrossingPath("bit", "s_apb/answer_reg", "s_apb/to_host/meta_reg")
        for source, target in (
            ("address_reg", "core_paddr"), ("write_reg", "core_pwrite"), ("data_reg", "pwdata_reg"), ("strobe_reg", "pstrb_reg"),
            ("word_reg", "bus_prdata"), ("refused_reg", "bus_pslverr"),
        ):  # fmt: skip
            yield CrossingPath("word", f"s_apb/{source}", f"s_apb/{target}")
    elif p.register_clock:
        for name, sign in (("write", "turn"), ("read", "request")):
            yield CrossingPath("bit", f"s_axil/{name}_{sign}_reg", f"s_axil/{name}_to_core/meta_reg")
            yield CrossingPath("bit", f"s_axil/{name}_answer_reg", f"s_axil/{name}_to_host/meta_reg")
        for source, target in (
            ("w_address_reg", "core_awaddr"), ("w_data_reg", "core_wdata"), ("w_strobe_reg", "core_wstrb"),
            ("r_address_reg", "core_araddr"), ("w_response_reg", "bus_bresp"), ("r_word_reg", "r_shown_reg"),
        ):  # fmt: skip
            yield CrossingPath("word", f"s_axil/{source}", f"s_axil/{target}")
    if p.register_clock:
        yield CrossingPath("bit", "irq_reg", "interrupt/meta_reg")
