# SPDX-License-Identifier: Apache-2.0
"""What ``core.json`` says of a front end, and a host that reads and writes its registers in a simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from modeloom.interfaces.front import WORD_BITS, WORD_BYTES
from modeloom.sim import Stream, StreamRunner

__all__ = ["AXI_LITE", "FrontDescription", "Port", "RegisterHost", "RegisterRefused"]

PATIENCE = 10_000
"""Cycles after which an access without an answer counts as lost."""

AXI_LITE = {
    "aw": ("in", ("awaddr", "awprot")), "w": ("in", ("wdata", "wstrb")), "b": ("out", ("bresp",)), "ar": ("in", ("araddr", "arprot")),
    "r": ("out", ("rdata", "rresp")),
}  # fmt: skip
"""The channels of AXI4-Lite: their direction, seen from the host, and their payloads."""


@dataclass(frozen=True, kw_only=True)
class Port:
    """A port of the top module."""

    name: Annotated[str, "Its name in Verilog."]
    direction: Annotated[str, '"input" or "output", seen from the core.']
    width: Annotated[int, "Bits."]
    stream: Annotated[str, 'Prefix of its stream or group; "clock" for clock and reset.']

    def __post_init__(self) -> None:
        if self.direction not in ("input", "output"):
            raise ValueError('direction is not "input" or "output"')

    @property
    def output(self) -> bool:
        """Whether the core drives it."""
        return self.direction == "output"


@dataclass(frozen=True, kw_only=True)
class FrontDescription:
    """A front end around a core."""

    kind: Annotated[str, 'Its name, such as "registers".']
    top: Annotated[str, "Name of the module that has the core and the front end."]
    verilog: Annotated[str, "The Verilog file of this module and of the front end, without the core."]
    address_bits: Annotated[int, "Bits of an address in bytes."]
    key_words: Annotated[int, "Words of the memory for a key."]
    erase_cycles: Annotated[int, "Cycles in which the memory for a key is overwritten, after a reset or `zeroize`."]
    registers: Annotated[Mapping[str, int], "Addresses of the registers in bytes, by name."]
    ports: Annotated[tuple[Port, ...], "All ports of its top in order."]


class RegisterRefused(RuntimeError):
    """The registers answered an access with SLVERR."""


class RegisterHost:
    """Reads and writes the registers of a simulated core.  While it waits for an answer, all other streams run.

    Parameters
    ----------
    runner : StreamRunner
        It drives ``streams()`` beside the streams of the core.
    description : FrontDescription
    """

    def __init__(self, runner: StreamRunner, description: FrontDescription):
        self.runner, self.description = runner, description

    @staticmethod
    def streams() -> list[Stream]:
        """The channels as streams."""
        return [
            Stream(f"s_axil_{name}", direction, f"s_axil_{name}valid", f"s_axil_{name}ready", tuple(f"s_axil_{one}" for one in payload))
            for name, (direction, payload) in AXI_LITE.items()
        ]  # fmt: skip

    def address(self, register: str | int) -> int:
        """The address of a register that is named, or an address."""
        return register if isinstance(register, int) else self.description.registers[register]

    def feed(self, channel: str, columns: dict[str, list[int]]) -> None:
        """Queues a beat of a channel."""
        self.runner.feed(channel, columns)

    def _answer(self, channel: str) -> dict[str, Any]:
        if self.runner.run({f"s_axil_{channel}": 1}, max_cycles=PATIENCE).timed_out:
            raise TimeoutError(f"the registers gave no answer in {PATIENCE} cycles")
        beats = self.runner.take(f"s_axil_{channel}", 1)
        return {name: beats.values(name)[0] for name in beats.columns}

    def write(self, register: str | int, value: int, *, strobe: int = (1 << WORD_BYTES) - 1, offset: int = 0) -> None:
        """Writes a word, ``offset`` words behind a register.  Raises ``RegisterRefused`` for SLVERR."""
        address = self.address(register) + WORD_BYTES * offset
        self.feed("s_axil_aw", {"s_axil_awaddr": [address], "s_axil_awprot": [0]})
        self.feed("s_axil_w", {"s_axil_wdata": [value], "s_axil_wstrb": [strobe]})
        if self._answer("b")["s_axil_bresp"]:
            raise RegisterRefused(f"write of {register} ({address:#x})")

    def read(self, register: str | int, *, offset: int = 0) -> int:
        """Reads a word.  Raises ``RegisterRefused`` for SLVERR."""
        address = self.address(register) + WORD_BYTES * offset
        self.feed("s_axil_ar", {"s_axil_araddr": [address], "s_axil_arprot": [0]})
        answer = self._answer("r")
        if answer["s_axil_rresp"]:
            raise RegisterRefused(f"read of {register} ({address:#x})")
        return int(answer["s_axil_rdata"])

    def counter(self, name: str) -> int:
        """The whole value of a counter of 64 bits."""
        low = self.read(name)
        return self.read("high") << 32 | low

    # -- keys ---------------------------------------------------------------------------------------------------------------------

    STATE: ClassVar[tuple[str, ...]] = ("zeroizing", "key_busy", "key_error", "key_sending")
    """The bits of the register ``state``."""

    def flag(self, name: str) -> int:
        """``key_loaded``, a bit of ``state``, or ``key_busy`` as long as a key is on its way."""
        if name == "key_loaded":
            return self.read("key_loaded0") | self.read("key_loaded1") << WORD_BITS
        state = self.read("state")
        bits = {one: state >> at & 1 for at, one in enumerate(self.STATE)}
        return bits["key_busy"] | bits["key_sending"] if name == "key_busy" else bits[name]

    def send_key(self, data: bytes, slot: int = 0, erase: bool = False) -> None:
        """Sends a key packet.  Waits until no other one is on its way."""
        for _ in range(PATIENCE):
            if not self.flag("key_sending"):
                break
        if not erase:
            for at in range(0, len(data), WORD_BYTES):
                self.write("key_data", int.from_bytes(data[at : at + WORD_BYTES], "little"), offset=at // WORD_BYTES)
            self.write("key_length", len(data))
        self.write("key_send", slot | erase << 16)
