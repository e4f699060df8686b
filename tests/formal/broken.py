# SPDX-License-Identifier: Apache-2.0
"""Buses with a fault each, as an edit of their Verilog, and the rule or invariant that it breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.formal import key_rules, size_rules
from tests.formal import stream_rules as rules
from tests.verilog_edit import edit_module

__all__ = ["FAULTS", "Fault", "broken"]


@dataclass(frozen=True)
class Fault:
    """In a module of the buses, the first match of a pattern gets its replacement; ``rule`` is then broken within ``cycles``.

    ``size`` names the buses (``SIZES`` of ``emitted_bus``).
    """

    what: str
    module: str
    pattern: str
    replacement: str
    rule: Callable[..., Any]
    cycles: int = 12
    size: str = "small"


FAULTS = (
    Fault(
        "the size changes while sectors are in the engine",
        "bus_size_gate", r"(assign change =(?:[^;]|\n)*)& size_idle\s+&", r"\1 & (size_idle | upcoming_next_valid) &",
        rules.size_changes_between_sectors, 20, "several",
    ),
    Fault("a beat is replaced while it waits", "bus_ring_out", r"assign get = .*;", "assign get = valid_reg;", rules.data_stay, 20),
    Fault(
        "a status is withdrawn",
        "bus_queue", r"if (\(pop\) valid_reg <= 1'h1;)", r"if (valid_reg & ~status_ready) valid_reg <= 0; else if \1", rules.status_stays,
    ),
    Fault(
        "a status is given twice",
        "bus_queue", r"else if \(status_ready\) valid_reg", "else if (status_ready & ~status_payload[0]) valid_reg",
        rules.one_status_a_command,
    ),
    Fault(
        "a packet is taken in in the size of another",
        "bus_size_gate", r"(assign opening_open =\s+[^?]*\?) ([^:]*) :", r"\1 (\2) | upcoming_size[0] :",
        rules.size_is_the_commands, 20, "several",
    ),
    Fault("a status is lost", "bus_queue", r"\.w_en\(verdict_push\)", ".w_en(verdict_push & ~verdict_tag[3])", rules.one_status_a_command),
    Fault(
        "a status has another command's tag",
        "bus_queue", r"\.verdict_tag\(verdict_tag\)", ".verdict_tag(verdict_tag ^ 16'h0100)", rules.statuses_in_order,
    ),
    Fault(
        "a good status does not wait for its data",
        "bus_queue", r"(\(~head_ok \| [^)]*)\)", r"\1 | queue_r_data[1])", rules.data_before_status, 14,
    ),
    Fault(
        "a packet is cut short",
        "bus_ring", r"beat_reg == 3'h3;", "beat_reg == 3'h0;", rules.whole_packets, 20,
    ),
    Fault(
        "a sector enters without a place",
        "bus_ring", r"place_reg <= (free_\w+\[1:0\] != 2'h0);", r"place_reg <= \1 | ~(|free_reg);", rules.places_suffice, 24,
    ),
    Fault(
        "a command without a key gets a good status",
        "bus_entry", r"assign verdict_code = (.*);", r"assign verdict_code = (\1) & 3'h3;", rules.refused_gives_no_data,
    ),
    Fault(
        "a request is withdrawn",
        "bus_entry", r"else if \(enter_ack\) (\w+) <=", r"else if (\1) \1 <=", rules.request_stays,
    ),
    Fault(
        "data stay on an idle bus",
        "bus_ring", r"m_valid \? (out_o_payload\[127:0\]) : 128'h0", r"\1", rules.zero_outside_keep, 20,
    ),
    Fault(
        "a beat overwrites a sector that asks to enter",
        "bus_sector", r"assign room = (.*);", r"assign room = \1 | 1'h1;", rules.fill_beat_in_range, 18,
    ),
    Fault(
        "a key is overwritten a cycle too early",
        "bus_key_port", r"fence_reg (==|!=) (3'h4)", r"fence_reg \1 3'h3", key_rules.keys_rest_in_flight, 16,
    ),
    Fault(
        "some statuses stay for ever",
        "bus_queue", r"assign pop = (.*);", r"assign pop = (\1) & ~queue_r_data[4];", rules.ready_status_goes,
    ),
    Fault(
        "a key is refused for a bit of it",
        "bus_key_port", r"(if \(fsm_state == 4'h0\) unusable_reg) <= 1'h0;", r"\1 <= key_payload[77];", key_rules.verdict_has_its_reason, 3,
        "cipher keys",
    ),
    Fault(
        "the core says that it decides on a key while it waits for the slot",
        "bus_key_port", r"assign judging = ([^;]*);", r"assign judging = fsm_state == 4'h2 | (\1);", key_rules.verdict_is_due, 6,
        "cipher keys",
    ),
    Fault(
        "beats behind a sector of one beat are taken for its next ones",
        "bus_sector", r"(assign final_v =\s+final_reg\s+)\| overrun_reg", r"\1", rules.fill_beat_in_range, 16, "one beat of several",
    ),
    Fault(
        "zeros are written with the size of a shorter key",
        "bus_key_port", r"(preparation_round_key_length <=) schedule_length;", r"\1 2'h2;",
        size_rules.erasure_reaches_all_round_keys, 16, "key sizes",
    ),
    Fault(
        "a packet of another length is taken",
        "bus_key_port", r"(assign fits_and = .*) == 16'hff;", r"\1 == 16'h7f;", size_rules.packet_tells_the_size, 34, "key sizes",
    ),
    Fault(
        "a key of 192 bits is taken for one of 256 bits",
        "bus_key_port", r"(if \(key_payload\[144\] & fits_and\) schedule_length <=) 2'h0", r"\1 2'h1",
        size_rules.packet_tells_the_size, 34, "key sizes",
    ),
    Fault(
        "the size changes while a key is expanded",
        "bus_key_port", r"if \(fsm_state == 4'h0\) (schedule_length <= 2'h1)", r"if (fsm_state == 4'h0 | fsm_state == 4'h7) \1",
        size_rules.size_is_kept, 36, "key sizes",
    ),
    Fault(
        "an erasure leaves the last round key",
        "bus_key_schedule", r"(else if \(erasing_reg\) done <= round == 4'h)d", r"\1c",
        size_rules.erasure_reaches_all_round_keys, 28, "key sizes",
    ),
)  # fmt: skip


def broken(verilog: str, fault: Fault) -> str:
    """Verilog with a fault; raises ``ValueError`` if there is nothing to edit."""
    return edit_module(verilog, fault.module, fault.pattern, fault.replacement)
