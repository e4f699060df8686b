# SPDX-License-Identifier: Apache-2.0
"""A SoC for a simulation: VexRiscv, ROM, RAM, a serial port, and a core of modeloom behind DMA."""

from litex.build.generic_platform import Pins, Subsignal
from litex.build.io import CRG
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect.csr import CSRStorage
from modeloom_dma import ModeloomDMA
from modeloom_litex import ModeloomCore

__all__ = ["CLOCK", "CipherSoC", "platform"]

CLOCK = int(100e6)
"""Hertz, for the serial port and timers.  A simulation counts cycles."""

ROM_BYTES, STACK_BYTES, RAM_BYTES, COMMAND_BYTES = 0x10000, 0x2000, 0x10000, 0x1000
RESULT_RAM, COMMAND_RAM = 0x4100_0000, 0x4200_0000

SERIAL = [
    Subsignal(f"{side}_{name}", Pins(bits)) for side in ("source", "sink") for name, bits in (("valid", 1), ("ready", 1), ("data", 8))
]


def platform():
    """The pins of the simulation: clock, serial port in bytes, and the end with a status."""
    return SimPlatform("SIM", [
        ("sys_clk", 0, Pins(1)), ("serial", 0, *SERIAL), ("finish", 0, Subsignal("valid", Pins(1)), Subsignal("status", Pins(8))),
    ])  # fmt: skip


class Finish(LiteXModule):
    """A register that ends the simulation: what is written is the exit status."""

    def __init__(self, pads):
        self.status = CSRStorage(8)
        self.comb += [pads.valid.eq(self.status.re), pads.status.eq(self.status.storage)]


class CipherSoC(SoCCore):
    """The SoC.

    Parameters
    ----------
    pins : SimPlatform
        What ``platform`` has made.
    folder : str or Path
        The folder of a core.
    bus_width : int
        Bits of the Wishbone bus and its memories.
    crossbar : bool
        A bus on which several hosts work at the same time, and RAMs of their own for results and commands.
    """

    def __init__(self, pins, folder, bus_width=32, crossbar=False):
        self.crg = CRG(pins.request("sys_clk"))
        super().__init__(
            pins, CLOCK, cpu_type="vexriscv", bus_data_width=bus_width, bus_interconnect="crossbar" if crossbar else "shared",
            integrated_rom_size=ROM_BYTES, integrated_sram_size=STACK_BYTES, integrated_main_ram_size=RAM_BYTES, uart_name="sim",
        )  # fmt: skip
        if crossbar:
            self.add_ram("result_ram", origin=RESULT_RAM, size=RAM_BYTES)
            self.add_ram("command_ram", origin=COMMAND_RAM, size=COMMAND_BYTES)
        self.finish = Finish(pins.request("finish"))
        self.cipher = ModeloomCore(pins, folder)
        self.bus.add_slave("cipher_registers", self.cipher.bus, SoCRegion(size=0x1000, cached=False))
        self.cipher_dma = ModeloomDMA(self.cipher, bus_width)
        for name, host in self.cipher_dma.hosts.items():
            self.bus.add_master(f"cipher_{name}", host)
        for name in ("cipher", "cipher_dma"):
            self.irq.add(name, use_loc_if_exists=True)
