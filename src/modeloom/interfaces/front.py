# SPDX-License-Identifier: Apache-2.0
"""The interfaces of front ends: AXI4-Lite or APB for registers, and an interrupt.

A front end is a module beside the core.  Registers take the place of the port for keys and of its flags; all other streams go past it.
"""

from __future__ import annotations

from dataclasses import replace

from modeloom.interfaces.shared import CONTROL
from modeloom.interfaces.table import Interface, Port, Role, Side, Width

__all__ = [
    "APB", "AXI_LITE", "FRONT_CONTROL", "OKAY", "QUEUE_ERASURE", "REGISTER_BUSES", "SLVERR", "STATUS_ORDER", "WORD_BITS", "WORD_BYTES",
    "apb", "axi_lite", "register_bus",
]  # fmt: skip

AXI_LITE, APB = REGISTER_BUSES = ("axi-lite", "apb")
"""The buses behind which registers can be, by their names in ``--register-bus``."""

WORD_BITS = 32
WORD_BYTES = WORD_BITS // 8

OKAY, SLVERR = 0, 2
"""The responses to an access that is carried out, and to one that is refused (AXI4-Lite, ``BRESP`` and ``RRESP``)."""

FRONT_CONTROL = replace(
    CONTROL,
    about="erasure and interrupt: zeroizing is high until the core and its registers hold no key; irq is high while an event is pending",
    payload=(*CONTROL.payload, Port("irq", Width(), "an enabled event is pending", "irq", Side.CORE)),
)
"""Erasure of everything, and the interrupt."""


STATUS_ORDER = Interface(
    "status", "status_order", "order of statuses and data, between registers and queues", Side.HOST,
    (
        Port("waits", Width(), "a status waits for its data", driver=Side.CORE),
        Port("may", Width(), "the host has its data"),
    ),
    stream=False,
)  # fmt: skip
"""With commands over registers and a queue for data in between: what holds a status back until the host has taken its data."""

QUEUE_ERASURE = Interface(
    "queues", "queue_erasure", "erasure of queues around the registers", Side.HOST,
    (Port("held", Width(), "queues are being erased"),), stream=False,
)  # fmt: skip
"""With queues around the registers: what tells them that an erasure is not over yet."""


def axi_lite(address_bits: int) -> Interface:
    """The port for registers.  The words that are written may be those of a key."""
    host, core = Side.HOST, Side.CORE
    return Interface(
        "s_axil", "bus", f"registers: AXI4-Lite, {WORD_BITS} bits; addresses count bytes", host,
        (
            Port("awvalid", Width(), "the host offers the address of a write"),
            Port("awready", Width(), "the core takes it", driver=core),
            Port("awaddr", Width(address_bits), "the address"),
            Port("awprot", Width(3), "not read"),
            Port("wvalid", Width(), "the host offers the data of a write"),
            Port("wready", Width(), "the core takes them", driver=core),
            Port("wdata", Width(WORD_BITS), "the data", role=Role.KEY),
            Port("wstrb", Width(WORD_BYTES), "one bit for each byte; a write of less than four bytes is refused"),
            Port("bvalid", Width(), "the core answers a write", driver=core),
            Port("bready", Width(), "the host takes the answer"),
            Port("bresp", Width(2), "0: done. 2: refused", driver=core),
            Port("arvalid", Width(), "the host offers the address of a read"),
            Port("arready", Width(), "the core takes it", driver=core),
            Port("araddr", Width(address_bits), "the address"),
            Port("arprot", Width(3), "not read"),
            Port("rvalid", Width(), "the core answers a read", driver=core),
            Port("rready", Width(), "the host takes the answer"),
            Port("rdata", Width(WORD_BITS), "the data", driver=core),
            Port("rresp", Width(2), "0: done. 2: refused", driver=core),
        ),
        stream=False,
    )  # fmt: skip


def apb(address_bits: int) -> Interface:
    """The port for registers as an APB of AMBA 4 (IHI 0024C).  The words that are written may be those of a key."""
    host, core = Side.HOST, Side.CORE
    return Interface(
        "s_apb", "bus", f"registers: APB4, {WORD_BITS} bits; addresses count bytes", host,
        (
            Port("psel", Width(), "the host selects the core"),
            Port("penable", Width(), "0 in the first cycle of a transfer, 1 in the others"),
            Port("paddr", Width(address_bits), "the address"),
            Port("pprot", Width(3), "not read"),
            Port("pwrite", Width(), "1: a write. 0: a read"),
            Port("pwdata", Width(WORD_BITS), "the data of a write", role=Role.KEY),
            Port("pstrb", Width(WORD_BYTES), "one bit for each byte of a write; a write of less than four bytes is refused"),
            Port("pready", Width(), "the core ends the transfer", driver=core),
            Port("prdata", Width(WORD_BITS), "the data of a read; zero but in the last cycle of a read", driver=core),
            Port("pslverr", Width(), "1 with pready: the transfer is refused", driver=core),
        ),
        stream=False,
    )  # fmt: skip


def register_bus(kind: str, address_bits: int) -> Interface:
    """The port for registers of a kind of bus.  Raises ``KeyError`` for an unknown one."""
    return {AXI_LITE: axi_lite, APB: apb}[kind](address_bits)
