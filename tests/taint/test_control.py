# SPDX-License-Identifier: Apache-2.0
"""Each secret bit, each kind of control point and each condition of an exemption by itself, in netlists made by hand."""

from __future__ import annotations

import pytest
from tests.taint.made import MadeCore, check_made, secrets

from modeloom.taint import TaintReport, TimingChannel
from modeloom.taint.cells import REGISTERS
from modeloom.taint.check import secret_bits
from modeloom.taint.control import EXEMPTIONS, VERDICT


def check(core: MadeCore) -> TaintReport:
    return check_made(core)


def assert_leak(core: MadeCore, what: str, secret: str) -> None:
    with pytest.raises(TimingChannel) as caught:
        check(core)
    assert str(caught.value).startswith(f"{what} depends on the {secret}: "), caught.value


def test_a_core_without_a_leak_passes() -> None:
    core = MadeCore()
    core.output("tvalid", [core.register("valid", core.go[0])])
    report = check(core)
    # The bits of the secret, the two of the result, and a node for all that each of those depends on.
    assert report.secret == {"data": 12, "key": 12, "tweak": 260}
    assert report.points == 2 and report.control == 3, "tvalid and the clock; beside them go[0]"
    assert report.exempt == {} and report.declassified == {}
    assert report.bits == core.size + 2


# -- secrets --------------------------------------------------------------------------------------------------------------


def test_every_bit_of_data_key_and_tweak_is_secret() -> None:
    core = MadeCore()
    assert secret_bits(core.netlist(), secrets()) == {"data": core.data, "key": core.key, "tweak": core.tweak}
    assert len(core.tweak) == 256


@pytest.mark.parametrize("name", ["data", "key", "tweak"])
@pytest.mark.parametrize("place", [0, 1, 3, 4, -2, -1])
def test_an_output_gives_away_one_bit(name: str, place: int) -> None:
    core = MadeCore()
    core.output("tuser", [core.go[0], core.gate([core.go[1], getattr(core, name)[place]])])
    with pytest.raises(TimingChannel, match=rf"^output tuser depends on the {name}: s_axis_[a-z_]*tdata\[\d+\] -> tuser\[1\]$"):
        check(core)


def test_what_stands_beside_the_tweak_in_a_command_is_public() -> None:
    core = MadeCore()
    core.output("tuser", core.command)
    assert check(core).points == len(core.command)


@pytest.mark.parametrize("name", ["data", "key", "tweak"])
def test_a_result_that_lacks_a_secret_says_that_the_check_is_empty(name: str) -> None:
    core = MadeCore()
    without = [bit for bit in core.secrets if bit not in getattr(core, name)]
    core.output("m_axis_tdata", [core.result[0], core.gate(without)])
    with pytest.raises(TimingChannel, match=rf"m_axis_tdata\[1\] does not depend on the {name}: the check would be empty"):
        check(core)
    if name == "tweak":
        assert check_made(core, tweak=False).points == 0
    else:
        with pytest.raises(TimingChannel):
            check_made(core, tweak=False)


@pytest.mark.parametrize(("width", "legal"), [(8, True), (9, False)])
def test_results_on_a_part_of_a_beat(width: int, legal: bool) -> None:
    """Of a beat of two bytes one carries results; a bit of it must depend on all secrets, the bits beside it need not."""
    core = MadeCore()
    core.output("m_axis_tdata", [core.result[0]] * width + [core.gate(core.data)] * (16 - width))
    assert check_made(core, beat_bytes=1)
    with pytest.raises(TimingChannel, match=rf"m_axis_tdata\[{width}\] does not depend on the key"):
        check_made(core, beat_bytes=2)
    short = MadeCore()
    short.output("m_axis_tdata", [short.result[0]] * (width - 1) + [short.gate(short.data)] * 8)
    if legal:
        with pytest.raises(TimingChannel, match=r"m_axis_tdata\[7\] does not depend on the key"):
            check_made(short, beat_bytes=1)
    else:
        assert check_made(short, beat_bytes=1)


def test_the_shortest_path_is_told_and_the_others_are_counted() -> None:
    core = MadeCore()
    first = core.register("early_reg", core.key[5])
    core.output("soon", [first])
    core.output("later", [core.register("late_reg", first)])
    with pytest.raises(TimingChannel) as caught:
        check(core)
    assert str(caught.value) == "output soon depends on the key: s_axis_key_tdata[5] -> soon (and 1 more)"


def test_an_output_is_told_before_a_cell() -> None:
    """Of paths of one length that to a port is what a reader looks for."""
    core = MadeCore()
    core.add("choice", "$mux", A=["0"], B=["1"], S=[core.key[0]], Y=core.net("chosen"))
    core.output("tuser", [core.key[0]])
    with pytest.raises(TimingChannel, match=r"output tuser depends on the key: .* \(and 1 more\)"):
        check(core)


# -- control points -------------------------------------------------------------------------------------------------------

MEMORY = {
    "RD_ADDR": "address", "WR_ADDR": "address", "RD_EN": "enable", "WR_EN": "enable", "RD_CLK": "clock or reset",
    "RD_ARST": "clock or reset", "RD_SRST": "clock or reset", "WR_CLK": "clock or reset",
}  # fmt: skip


@pytest.mark.parametrize("port", MEMORY)
def test_controls_of_memories(port: str) -> None:
    core = MadeCore()
    core.memory("engine.bank.mem", width=4, clocked=1, writes=1)
    assert check(core)
    wires = core.cells["engine.bank.mem"]["connections"][port]
    wires[-1] = core.data[3]
    assert_leak(core, f"memory {MEMORY[port]} of engine.bank.mem", "data")


def test_data_of_memories_are_no_control() -> None:
    core = MadeCore()
    core.memory("engine.bank.mem", width=4, writes=1, WR_DATA=core.data[:4])
    # Two addresses of two bits, the clock, and one bit that enables all.
    assert check(core).points == 6


CONTROLS = {"CLK": "clock", "EN": "enable", "SRST": "reset", "ARST": "reset"}


@pytest.mark.parametrize(("kind", "port"), [(kind, port) for kind, ports in REGISTERS.items() for port in ports])
def test_controls_of_registers(kind: str, port: str) -> None:
    core = MadeCore()
    public = {name: core.go[:1] for name in REGISTERS[kind]}
    core.register("held_reg", core.go[1], kind, **{**public, port: [core.key[7]]})
    assert_leak(core, f"register {CONTROLS[port]} of held_reg", "key")
    other = MadeCore()
    other.register("held_reg", other.data[1], kind, **public)
    assert check(other)


def test_registers_of_every_kind_have_their_controls() -> None:
    assert set(REGISTERS) == {"$dff", "$dffe", "$sdff", "$sdffe", "$sdffce", "$adff", "$adffe"}
    for kind, ports in REGISTERS.items():
        wanted = {"CLK"} | ({"EN"} if "e" in kind.removeprefix("$") else set())
        wanted |= {"SRST"} if kind.startswith("$sdff") else {"ARST"} if kind.startswith("$adff") else set()
        assert set(ports) == wanted


CHOICES = {
    "$mux": {"A": 1, "B": 1, "S": 1}, "$pmux": {"A": 1, "B": 2, "S": 2}, "$bmux": {"A": 4, "S": 2}, "$bwmux": {"A": 2, "B": 2, "S": 2},
    "$shl": {"A": 2, "B": 2}, "$sshl": {"A": 2, "B": 2}, "$shr": {"A": 2, "B": 2}, "$sshr": {"A": 2, "B": 2},
    "$shift": {"A": 2, "B": 2}, "$shiftx": {"A": 2, "B": 2},
}  # fmt: skip


@pytest.mark.parametrize("kind", CHOICES)
def test_choices(kind: str) -> None:
    select = "S" if "mux" in kind else "B"
    for port, width in CHOICES[kind].items():
        core = MadeCore()
        wires = {name: core.go[:n] for name, n in CHOICES[kind].items()}
        wires[port] = [*core.go[: width - 1], core.tweak[255]]
        core.add("engine.unit.$choice$7", kind, **wires, Y=core.net("chosen", 2 if kind == "$bwmux" else 1))
        if port == select:
            assert_leak(core, "select in engine.unit", "tweak")
        else:
            assert check(core).points, port


def test_gates_are_no_control_points() -> None:
    core = MadeCore()
    for n, kind in enumerate(("$and", "$or", "$xor", "$add", "$eq", "$lt", "$mul", "$not")):
        operands = {"A": core.data[:2]} if kind == "$not" else {"A": core.data[:2], "B": core.key[:2]}
        core.add(f"gate {n}", kind, **operands, Y=core.net(f"sum_{n}", 2 if kind not in ("$eq", "$lt") else 1))
    assert check(core).points == 0


# -- exemptions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "where",
    [
        "engine.cipher0.enc.sbox_3", "core.engine.cipher1.dec.sbox_3", "a.b.engine.cipher0.both.table", "bus.key_schedule.sbox",
        "core.bus.key_schedule.sbox",
    ],
)  # fmt: skip
def test_s_boxes_are_exempt(where: str) -> None:
    core = MadeCore()
    core.memory(where, size=512, RD_ADDR=core.data[:2])
    report = check(core)
    assert report.exempt == {"S-box": 1} and report.points == 2, "its enable and its clock are checked"


NO_TABLES = {
    "wider than a byte": {"width": 9},
    "more than a table for each direction": {"size": 513},
    "read by a clock": {"clocked": 1},
    "written": {"writes": 1},
}


@pytest.mark.parametrize("fault", NO_TABLES)
def test_a_memory_in_a_cipher_that_is_no_table(fault: str) -> None:
    core = MadeCore()
    core.memory("engine.cipher0.enc.sbox", **{"size": 512, "RD_ADDR": core.key[:2], **NO_TABLES[fault]})
    assert_leak(core, "memory address of engine.cipher0.enc.sbox", "key")


@pytest.mark.parametrize(
    "where",
    [
        "engine.bank_in0.mem", "engine.cipher0.enc", "engine.cipher0.enc.round.sbox", "engine.mul0.sbox", "bus.key_port.sbox",
        "engine.cipher0.mul.sbox", "bus.key_schedule.ring.sbox", "my_engine.cipher0.enc.sbox", "engine.a.b.enc.sbox",
    ],
)  # fmt: skip
def test_a_table_somewhere_else(where: str) -> None:
    core = MadeCore()
    core.memory(where, RD_ADDR=core.key[:2])
    assert_leak(core, f"memory address of {where}", "key")


def test_only_the_address_of_a_table_is_exempt() -> None:
    core = MadeCore()
    core.memory("engine.cipher0.enc.sbox", RD_EN=[core.data[0]])
    assert_leak(core, "memory enable of engine.cipher0.enc.sbox", "data")


def test_what_depends_on_a_looked_up_byte_is_checked() -> None:
    core = MadeCore()
    core.memory("engine.cipher0.enc.sbox", RD_ADDR=core.data[:2])
    core.output("tuser", [core.cells["engine.cipher0.enc.sbox"]["connections"]["RD_DATA"][7]])
    assert_leak(core, "output tuser", "data")


CHOSEN = "engine.cipher0.enc.round_10_chosen_column_3_reg[7]"


def column(core: MadeCore, *, module: str = "engine.cipher0.enc", source: str = CHOSEN, width: int = 8, kind: str = "$mux") -> None:
    """A choice between bytes by a bit of a register that keeps data."""
    select = core.register(source, core.data[0])
    core.add(f"{module}.$choice$1", kind, A=["0"] * width, B=["1"] * width, S=[select], Y=core.net("byte", width))


@pytest.mark.parametrize(
    "source", [CHOSEN, "core.engine.cipher0.dec.chosen_column_0_reg", "engine.cipher1.enc.round_1_chosen_column_2_reg[0]"]
)
@pytest.mark.parametrize("module", ["engine.cipher0.enc", "core.engine.cipher0.dec"])
def test_the_last_levels_of_a_table_are_exempt(source: str, module: str) -> None:
    core = MadeCore()
    column(core, source=source, module=module)
    assert check(core).exempt == {"S-box in two steps": 1}


def test_places_are_counted() -> None:
    core = MadeCore()
    column(core)
    core.add("engine.cipher0.enc.$choice$2", "$mux", A=["0"], B=["1"], S=core.nets[CHOSEN]["bits"], Y=core.net("other byte"))
    assert check(core).exempt == {"S-box in two steps": 2}


@pytest.mark.parametrize(
    "fault",
    [
        {"width": 9}, {"kind": "$pmux"}, {"module": "engine.cipher0"}, {"module": "engine.cipher0.both"},
        {"source": "engine.cipher0.enc.round_1_column_2_reg[0]"}, {"source": "bus.ring.chosen_column_0_reg"},
        {"source": "engine.cipher0.enc.chosen_column_0_reg_next"},
    ],
    ids=str,
)  # fmt: skip
def test_another_choice_in_a_cipher(fault: dict) -> None:
    core = MadeCore()
    column(core, **fault)
    assert_leak(core, f"select in {fault.get('module', 'engine.cipher0.enc')}", "data")


def test_an_output_is_never_exempt() -> None:
    core = MadeCore()
    core.output("engine.cipher0.enc.sbox", [core.data[0]])
    assert_leak(core, "output engine.cipher0.enc.sbox", "data")


def test_exemptions_have_reasons() -> None:
    assert [entry.name for entry in EXEMPTIONS] == ["S-box", "S-box in two steps"]
    assert all(len(entry.reason) > 60 for entry in EXEMPTIONS)


# -- the verdict on a key -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bus.key_port.unusable_reg", "core.bus.key_port.unusable_reg"])
def test_the_verdict_is_public(name: str) -> None:
    core = MadeCore()
    verdict = core.register(name, core.gate(core.key))
    core.output("key_error", [core.register("error_reg", verdict)])
    assert check(core).declassified == {VERDICT: 1}


@pytest.mark.parametrize(
    "name", ["bus.key_port.unusable", "bus.key_port.unusable_reg_2", "bus.ring.unusable_reg", "my_bus.key_port.unusable_reg"]
)
def test_another_register_is_no_verdict(name: str) -> None:
    core = MadeCore()
    core.output("key_error", [core.register("error_reg", core.register(name, core.gate(core.key)))])
    assert_leak(core, "output key_error", "key")


def test_a_wire_is_no_verdict() -> None:
    core = MadeCore()
    (wire,) = core.net("bus.key_port.unusable_reg")
    core.add("compare", "$eq", A=core.key[:4], B=core.key[4:], Y=[wire])
    core.output("key_error", [core.register("error_reg", wire)])
    assert_leak(core, "output key_error", "key")


def test_a_secret_that_goes_round_the_verdict_is_found() -> None:
    core = MadeCore()
    found = core.gate(core.key)
    verdict = core.register("bus.key_port.unusable_reg", found)
    core.output("key_error", [core.gate([verdict, core.register("error_reg", found)])])
    assert_leak(core, "output key_error", "key")
