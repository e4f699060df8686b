# SPDX-License-Identifier: Apache-2.0
"""Assertions of an emitted core for simulation: the rules of its streams and its promises, in a module behind a macro.

::

    `ifdef MODELOOM_ASSERT       module NAME_rules: looks at all ports of NAME, says what the host or the core does wrong
                                 NAME instances it
    `endif

The module is plain Verilog-2005, so that every simulator takes it; without the macro it is not there.
"""

from __future__ import annotations

from collections.abc import Iterator

from modeloom.compiler.compile import Compiled
from modeloom.cores.sector.figures import interval_pins, latency_pins
from modeloom.cores.sector.hardware import bus_parameters, erase_cycles
from modeloom.cores.sector.packing import PACKING
from modeloom.cores.sector.template import filled
from modeloom.interfaces import Side
from modeloom.interfaces.sector import COMMANDS, SECTOR_CORE, StatusCode
from modeloom.interfaces.table import RESERVED
from modeloom.product.ports import top_ports
from modeloom.rtl.bus.key_format import key_beats, key_last_keep
from modeloom.rtl.bus.sector import BusParameters

__all__ = ["rules_module"]

HOST_STREAMS = {group.name: group.payload_names for group in SECTOR_CORE if group.stream and group.driver is Side.HOST}
"""Payloads of the streams that the host drives."""

CORE_STREAMS = {group.name: group.payload_names for group in SECTOR_CORE if group.stream and group.driver is Side.CORE}
"""Payloads of those that the core drives."""

_READ = {
    "s_axis_cmd_tdata": "s_axis_cmd_tdata & COMMAND_READ",
    "s_axis_tdata": "s_axis_tdata & bytes(s_axis_tkeep)",
    "s_axis_key_tdata": f"s_axis_key_tdata & {{{PACKING['KEY_BITS']}{{&s_axis_key_tkeep & ~s_axis_key_tuser}}}}",
}
"""What is read of a payload; the rest may be unknown."""


def _unknown(name: str) -> str:
    return f"{name} !== 1'b0 && {name} !== 1'b1"


def _stream_rules(stream: str, payloads: tuple[str, ...]) -> Iterator[str]:
    """Both sides' streams: valid is known and stays, and so does the payload."""
    valid, ready = f"{stream}_tvalid", f"{stream}_tready"
    yield f"if (quiet && {_unknown(valid)})"
    yield f'  broken("{valid} is unknown");'
    yield f"if (quiet && was_quiet && {stream}_waited && {valid} !== 1'b1)"
    yield f'  broken("{valid} fell before {ready}");'
    for payload in payloads:
        name = f"{stream}_{payload}"
        yield f"if (quiet && was_quiet && {stream}_waited && {valid} === 1'b1 && {name} !== {name}_was)"
        yield f'  broken("{name} changed before {ready}");'
        yield f"if (quiet && {valid} === 1'b1 && ^({_READ.get(name, name)}) === 1'bx)"
        yield f'  broken("{name} has unknown bits");'


def _input_rules() -> Iterator[str]:
    for stream, payloads in HOST_STREAMS.items():
        yield f"if (aresetn === 1'b0 && {stream}_tvalid !== 1'b0)"
        yield f'  broken("{stream}_tvalid is not low in the reset");'
        yield from _stream_rules(stream, payloads)


def _output_rules() -> Iterator[str]:
    for stream, payloads in CORE_STREAMS.items():
        yield from _stream_rules(stream, payloads)
        shown = ", ".join(f"{stream}_{payload}" for payload in payloads)
        yield f"if (quiet && {stream}_tvalid === 1'b0 && |{{{shown}}} !== 1'b0)"
        yield f'  broken("{stream} is not zero while it is not valid");'
    yield "if (quiet && m_axis_tvalid === 1'b1) begin"
    yield "  if (m_axis_tlast ? !counts(m_axis_tkeep) : !(&m_axis_tkeep))"
    yield '    broken("m_axis_tkeep has a gap, or is not all ones before the last beat");'
    yield "  if (|(m_axis_tdata & ~bytes(m_axis_tkeep)) !== 1'b0)"
    yield '    broken("m_axis_tdata is not zero outside m_axis_tkeep");'
    yield "end"
    for stream in HOST_STREAMS:
        yield f"if (quiet && {_unknown(f'{stream}_tready')})"
        yield f'  broken("{stream}_tready is unknown");'
    yield "if (quiet && ^{key_loaded, key_busy, key_error} === 1'bx)"
    yield '  broken("key_loaded, key_busy or key_error is unknown");'
    yield f"if ({_unknown('zeroizing')})"
    yield '  broken("zeroizing is unknown");'


def _registers(widths: dict[str, int]) -> Iterator[str]:
    """Whether a beat waited in the cycle before, and its payload."""
    for stream, payloads in {**HOST_STREAMS, **CORE_STREAMS}.items():
        yield f"reg {stream}_waited = 1'b0;"
        for payload in payloads:
            width = widths[f"{stream}_{payload}"]
            yield f"reg [{width - 1}:0] {stream}_{payload}_was = {width}'b0;"


def _keep() -> Iterator[str]:
    for stream, payloads in {**HOST_STREAMS, **CORE_STREAMS}.items():
        yield f"{stream}_waited = {stream}_tvalid === 1'b1 && {stream}_tready === 1'b0;"
        yield from (f"{stream}_{payload}_was = {stream}_{payload};" for payload in payloads)


def _codes() -> Iterator[str]:
    for code in StatusCode:
        if code != StatusCode.OK:
            yield f'{PACKING["CODE_BITS"]}\'d{int(code)}: refused("m_axis_status said {code.name}: {code.meaning.replace("`", "")}");'


def _command_read(p: BusParameters) -> int:
    """The bits of a command that a core reads."""
    mask = (1 << p.tweak_bits) - 1
    for field in COMMANDS.packing.fields:
        if field.name not in ("tweak", RESERVED):
            mask |= COMMANDS.packing.mask(field.name)
    return mask


def rules_module(compiled: Compiled, name: str) -> str:
    """The module with the assertions, in its ``ifdef``."""
    p = bus_parameters(compiled)
    ports = [port for port in top_ports(SECTOR_CORE, p) if port.stream != "clock"]
    longest = max(interval_pins(one) + latency_pins(one) for one in compiled.sizes)
    values = {
        "NAME": name,
        "PORTS": ",\n".join(port.declaration.replace("output", "input ") for port in ports),
        "BEAT_BYTES": p.beat_bytes,
        "KEY_BEATS": key_beats(p.keys),
        "SLOTS": p.key_slots,
        # Places of the result buffer, those of the queue before it, and the registers of command and status.
        "IN_FLIGHT": p.buffers.ring_sectors + 8,
        "ERASE_CYCLES": erase_cycles(compiled),
        # Twice for a change of size, for which the engine runs empty.
        "PATIENCE": 2 * longest + 200,
        "KEY_LAST_KEEP": f"{PACKING['KEY_KEEP_BITS']}'h{key_last_keep(p.keys):04x}",
        **PACKING,
        "COMMAND_READ": f"{COMMANDS.packing.bits}'h{_command_read(p):0{COMMANDS.packing.bits // 4}x}",
        "REGISTERS": "\n".join(_registers({port.name: port.width for port in ports})),
        "KNOWN_SIZE": " || ".join(f"length == {size.nbytes}" for size in p.sizes),
        "INPUT_RULES": "\n".join(_input_rules()),
        "OUTPUT_RULES": "\n".join(_output_rules()),
        "CODES": "\n".join(_codes()),
        "KEEP": "\n".join(_keep()),
    }
    return filled("rules.v", values)
