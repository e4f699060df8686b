# SPDX-License-Identifier: Apache-2.0
"""Assertions on the ports of any core: the rules of AXI4-Stream, and the promises that every core makes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from modeloom.interfaces import Interface, Side
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.sector import StatusCode
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.interfaces.table import LISTED_SLOTS, RESERVED, Packing, slot_number_bits
from modeloom.product.core import TopPort

__all__ = ["PortRules", "bit_range", "command_read", "packing_places"]


# The positions of the fields of commands, statuses and keys, for the templates of Verilog files.
#
#     s_axis_cmd_tdata@COMMAND_TAG@    ──▶    s_axis_cmd_tdata[271:256]

def bit_range(bits: int) -> str:
    """The range of a vector of ``bits`` bits."""
    return f"[{bits - 1}:0]"


def packing_places(interfaces: Sequence[Interface], identity: str, slots: int = 1) -> dict[str, object]:
    """Values for the placeholders that the templates of every kind of core have.

    Parameters
    ----------
    interfaces : sequence of Interface
        The interfaces of the core.
    identity : str
        The field of commands that the status returns.
    slots : int
        Key slots of the core.
    """
    groups = {group.name: group for group in interfaces}
    commands, statuses = groups["s_axis_cmd"].packing, groups["m_axis_status"].packing
    rest = next(field.name for field in statuses.fields if field.name in (RESERVED, "channel"))
    slot_bits, listed = slot_number_bits(slots), slots <= LISTED_SLOTS
    return {
        "COMMAND_BITS": commands.bits,
        "COMMAND_RANGE": bit_range(commands.bits),
        "COMMAND_TAG": commands.verilog(identity),
        "STATUS_RANGE": bit_range(statuses.bits),
        "STATUS_TAG": statuses.verilog(identity),
        "STATUS_CODE": statuses.verilog("code"),
        "STATUS_REST": statuses.verilog(rest),
        "TAG_RANGE": bit_range(commands.field(identity).bits),
        "CODE_BITS": statuses.field("code").bits,
        "CODE_RANGE": bit_range(statuses.field("code").bits),
        "REST_BITS": statuses.field(rest).bits,
        "KEY_BITS": 8 * KEY_BEAT_BYTES,
        "KEY_RANGE": bit_range(8 * KEY_BEAT_BYTES),
        "KEY_KEEP_BITS": KEY_BEAT_BYTES,
        "KEY_KEEP_RANGE": bit_range(KEY_BEAT_BYTES),
        "KEY_ALL": f"{KEY_BEAT_BYTES}'h{(1 << KEY_BEAT_BYTES) - 1:x}",
        "SLOT_BITS": slot_bits,
        "SLOT_RANGE": bit_range(slot_bits),
        # With many slots there is one flag, of the slot of the last key packet.
        "FLAGS": "SLOTS" if listed else "1",
        "OF_KEY": "[key_slot[number]]" if listed else "",
        "OF_SLOT": "[slot]" if listed else "",
        "NO_SLOT": "wrong_key(0, KEY_BEATS, KEY_LAST_KEEP, SLOTS);" if slots < 1 << slot_bits else "",
    }


def command_read(packing: Packing, ways: dict[str, int]) -> int:
    """A mask of the bits of a command that a core reads.  ``ways`` has the number of bits of fields that are read in part."""
    mask = 0
    for field in packing.fields:
        if field.name != RESERVED:
            mask |= ((1 << ways.get(field.name, field.bits)) - 1) << packing.offset(field.name)
    return mask


# -- port rules --------------------------------------------------------------------------------------------------------------------

def _unknown(name: str) -> str:
    return f"{name} !== 1'b0 && {name} !== 1'b1"


class PortRules:
    """The rules of the streams of a core.

    Parameters
    ----------
    interfaces : sequence of Interface
        The interfaces of the core.
    identity : str
        The field of commands that the status returns.
    """

    def __init__(self, interfaces: Sequence[Interface], identity: str, slots: int = 1):
        self.places = packing_places(interfaces, identity, slots)
        streams = {side: {g.name: g.payload_names for g in interfaces if g.stream and g.driver is side} for side in Side}
        self.host, self.core = streams[Side.HOST], streams[Side.CORE]
        self.read = {
            "s_axis_cmd_tdata": "s_axis_cmd_tdata & COMMAND_READ",
            "s_axis_tdata": "s_axis_tdata & bytes(s_axis_tkeep)",
            "s_axis_key_tdata": f"s_axis_key_tdata & {{{self.places['KEY_BITS']}{{&s_axis_key_tkeep & ~s_axis_key_tuser}}}}",
        }
        """The part of a payload that is read.  The other bits may be unknown."""

    def values(self, ports: Iterable[TopPort], keep: Iterable[str]) -> dict[str, object]:
        """Values for the placeholders of a template.  ``keep`` has the assertions on ``m_axis_tkeep`` for this kind of core."""
        inner = [port for port in ports if port.stream != "clock"]
        return {
            **self.places,
            "PORTS": ",\n".join(port.declaration.replace("output", "input ") for port in inner),
            "REGISTERS": "\n".join(self._registers({port.name: port.width for port in inner})),
            "INPUT_RULES": "\n".join(self._input_rules()),
            "OUTPUT_RULES": "\n".join(self._output_rules(keep)),
            "KEEP": "\n".join(self._keep()),
        }

    def codes(self, codes: Iterable[StatusCode | MessageCode]) -> str:
        """A branch of a ``case`` with the meaning of each code of an enumeration, except for code 0."""
        bits = self.places["CODE_BITS"]
        return "\n".join(
            f'{bits}\'d{int(code)}: refused("m_axis_status: {code.name}: {code.meaning.replace("`", "")}");' for code in codes if code
        )

    def _stream_rules(self, stream: str, payloads: tuple[str, ...]) -> Iterator[str]:
        """Rules for the streams of both sides: ``tvalid`` and the payload are known, and both stay until ``tready``."""
        valid, ready = f"{stream}_tvalid", f"{stream}_tready"
        yield f"if (quiet && {_unknown(valid)})"
        yield f'  broken("{valid} is unknown");'
        yield f"if (quiet && was_quiet && {stream}_waited && {valid} !== 1'b1)"
        yield f'  broken("{valid} fell before {ready}");'
        for payload in payloads:
            name = f"{stream}_{payload}"
            yield f"if (quiet && was_quiet && {stream}_waited && {valid} === 1'b1 && {name} !== {name}_was)"
            yield f'  broken("{name} changed before {ready}");'
            yield f"if (quiet && {valid} === 1'b1 && ^({self.read.get(name, name)}) === 1'bx)"
            yield f'  broken("{name} has unknown bits");'

    def _input_rules(self) -> Iterator[str]:
        for stream, payloads in self.host.items():
            yield f"if (aresetn === 1'b0 && {stream}_tvalid !== 1'b0)"
            yield f'  broken("{stream}_tvalid is not low during the reset");'
            yield from self._stream_rules(stream, payloads)

    def _output_rules(self, keep: Iterable[str]) -> Iterator[str]:
        for stream, payloads in self.core.items():
            yield from self._stream_rules(stream, payloads)
            shown = ", ".join(f"{stream}_{payload}" for payload in payloads)
            yield f"if (quiet && {stream}_tvalid === 1'b0 && |{{{shown}}} !== 1'b0)"
            yield f'  broken("{stream}: the payload is not zero while tvalid is low");'
        yield "if (quiet && m_axis_tvalid === 1'b1) begin"
        yield from keep
        yield "  if (|(m_axis_tdata & ~bytes(m_axis_tkeep)) !== 1'b0)"
        yield '    broken("m_axis_tdata is not zero outside m_axis_tkeep");'
        yield "end"
        for stream in self.host:
            yield f"if (quiet && {_unknown(f'{stream}_tready')})"
            yield f'  broken("{stream}_tready is unknown");'
        yield "if (quiet && ^{key_loaded, key_busy, key_error} === 1'bx)"
        yield '  broken("key_loaded, key_busy or key_error is unknown");'
        yield f"if ({_unknown('zeroizing')})"
        yield '  broken("zeroizing is unknown");'

    def _registers(self, widths: dict[str, int]) -> Iterator[str]:
        """Registers for each stream: whether a beat waited in the previous cycle, and its payload."""
        for stream, payloads in {**self.host, **self.core}.items():
            yield f"reg {stream}_waited = 1'b0;"
            for payload in payloads:
                width = widths[f"{stream}_{payload}"]
                yield f"reg [{width - 1}:0] {stream}_{payload}_was = {width}'b0;"

    def _keep(self) -> Iterator[str]:
        for stream, payloads in {**self.host, **self.core}.items():
            yield f"{stream}_waited = {stream}_tvalid === 1'b1 && {stream}_tready === 1'b0;"
            yield from (f"{stream}_{payload}_was = {stream}_{payload};" for payload in payloads)
