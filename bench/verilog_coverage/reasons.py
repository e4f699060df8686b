# SPDX-License-Identifier: Apache-2.0
"""Why what could be covered is not.

Each pattern fits all of a place: a bit of an instance, a line of one, or a state of a machine.  What fits none shows as "no reason".
"""

from __future__ import annotations

BITS = (
    (
        r"core\.bus\.ring\.(free|to_send)_difference\[\d+\]",
        "carries of the counters of sectors in the result buffer. The buffer has a place for each sector, which follows only "
        "from all counters together (tests/formal/stream_rules.py proves it for the bus)",
    ),
    (
        r"core\.bus\.queue\.(_\d+_|delivered_reg)\[\d+\]",
        "carries of the counter of sectors whose status waits. The queue has a place for each of them, which follows only from "
        "all counters together (tests/formal/stream_rules.py proves it for the bus)",
    ),
    (
        r"core\.engine\.bank_\w+\.bank_\w+_words\[1\]\[\d+\]",
        "the second word of a result bank of which the program uses one cell. Only the erasure writes it, with zeros",
    ),
)
"""Bits that did not toggle, and that no proof calls constant."""

LINES = (
    (
        r"core\.engine\.sequencer: (else of )?(if \(~in_setup_reg\) begin|if \(start_setup\) stage0_\w+ <= .*)",
        "conditions within conditions that have decided them. A set-up starts only at the start of the program, and no set-up runs then",
    ),
    (
        r"core\.engine\.sequencer: else of if \(at_last_reg\) begin",
        "set-ups of a mode whose set-up has no rows. The sequencer is at the last one from the start",
    ),
    (
        r"core\.engine\.sequencer: (else of )?else if \(setup_number_reg == 2'h2\) row <= .*",
        "the set-up behind that of the last size. The condition around it excludes the last size",
    ),
    (
        r"core\.engine: else of else if \(({ )?control_data\[[^=]* == 2'h2\) \w+ <= .*",
        "selections by a field of the control words for a fourth stage. No control word contains it",
    ),
    (
        r"core\.engine: if \(out0_key_we_3_reg\) key_\w+_reg <= .*",
        "key words that a set-up writes, in a core whose set-up writes none",
    ),
    (
        r"core\.engine\.\w+\.(both|enc): else of else if \(phase_reg\) round_reg <= .*",
        "the second phase of a round, in a cipher core with one cycle per round",
    ),
    (
        r"core\.bus\.key_port: default: ;",
        "states that have no number. All states have an arm",
    ),
    (
        r"core\.bus\.key_port: (4'hb: if \(unusable_reg\) \w+ <= .*|if \(unusable_reg\) fsm_state <= 4'h3;|"
        r"else of if \(~unusable_reg\) begin)",
        "keys that are refused after their set-up. Only modes in which a word of the set-up must not be 0 refuse such keys",
    ),
    (
        r"core\.bus\.key_port: else of if \(key_payload\[144\]( \| expand)?\) fsm_state <= 4'h7;",
        "beats behind which more of the same cipher key follows. In this core, each beat is a whole cipher key",
    ),
    (
        r"core\.bus\.key_port: else of if \(key_valid\) .*",
        "a first beat that is not there. The port begins with a packet when this beat is offered, and the keys of this core have one beat",
    ),
    (
        r"core\.bus\.key_port: (if \(number_reg\) .*|else of if \(~(number|beat)_reg\) .*)",
        "a second cipher key, or a second beat, of a mode whose key has one",
    ),
    (
        r"core\.bus\.key_port: else of if \(~rounds_left_reg\) begin",
        "an erasure in which the round keys are overwritten last. In this core, the other words of the key take longer",
    ),
)
"""Lines and branches that did not run: the instance, and the text of the line."""

STATES: tuple[tuple[str, str], ...] = ()
"""States that were not reached."""
