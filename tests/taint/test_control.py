# SPDX-License-Identifier: Apache-2.0
"""Each secret bit, each kind of control point and each condition of an exemption by itself, in netlists made by hand."""

from __future__ import annotations

import pytest
from tests.taint.made import MadeCore, check_made, secrets

from modeloom.product.description import KEY_VERDICT, Result, Verdict
from modeloom.taint import TaintReport, TimingChannel, check_netlist
from modeloom.taint.check import EXEMPTIONS, secret_bits
from modeloom.taint.graph import REGISTERS

VERDICTS = (Verdict(KEY_VERDICT, (Result("key_loaded", 1), Result("key_error", 1))),)


def check(core: MadeCore, verdicts: tuple[Verdict, ...] = ()) -> TaintReport:
    return check_made(core, verdicts=verdicts)


def assert_leak(core: MadeCore, what: str, secret: str, verdicts: tuple[Verdict, ...] = ()) -> None:
    with pytest.raises(TimingChannel) as caught:
        check(core, verdicts)
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


@pytest.mark.parametrize("where", ["engine.cipher0.enc.sbox_3", "a.b.anything", "bus.key_schedule.sbox"])
def test_s_boxes_are_exempt(where: str) -> None:
    """Constant tables of bytes that a key reaches, whatever they are called."""
    core = MadeCore()
    core.memory(where, size=512, RD_ADDR=core.key[:2])
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


@pytest.mark.parametrize("secret", ["data", "tweak"])
def test_a_table_that_no_key_reaches(secret: str) -> None:
    """It is no table of a cipher: nothing of a mode looks up what the host sends as it is."""
    core = MadeCore()
    core.memory("engine.cipher0.enc.sbox", RD_ADDR=getattr(core, secret)[:2])
    assert_leak(core, "memory address of engine.cipher0.enc.sbox", secret)


def test_only_the_address_of_a_table_is_exempt() -> None:
    core = MadeCore()
    core.memory("engine.cipher0.enc.sbox", RD_EN=[core.key[0]])
    assert_leak(core, "memory enable of engine.cipher0.enc.sbox", "key")


def test_what_depends_on_a_looked_up_byte_is_checked() -> None:
    core = MadeCore()
    core.memory("engine.cipher0.enc.sbox", RD_ADDR=core.key[:2])
    core.output("tuser", [core.cells["engine.cipher0.enc.sbox"]["connections"]["RD_DATA"][7]])
    assert_leak(core, "output tuser", "key")


class TwoSteps:
    """A look-up in two steps: a word, four tables under two of its bits, registers, and two levels of choices by the others.

    Each argument breaks one condition.
    """

    def __init__(
        self, *, width: int = 8, kind: str = "$mux", writes: int = 0, held: str = "$dff", rest: str = "", raw: bool = False,
        register: str = "$dff",
    ):  # fmt: skip
        core = self.core = MadeCore()
        word, other = core.net("word", 4), core.net("other word", 4)
        for name, bits in (("word", word), ("other word", other)):
            core.add(f"sum of {name}", "$xor", A=core.data[:4], B=core.key[:4], Y=bits)
        bytes_ = []
        for n in range(4):
            core.memory(f"quarter{n}", width=8, size=64, writes=writes, RD_ADDR=word[:2])
            data = core.cells[f"quarter{n}"]["connections"]["RD_DATA"] if not (raw and n == 3) else core.key[:8]
            q = core.net(f"quarter{n}_reg", 8)
            enable = {"EN": core.go[:1]} if register == "$dffe" else {}
            core.add(f"register of quarter {n}", register, D=data, Q=q, CLK=core.clock, **enable)
            bytes_.append(q)
        rests = {"": word[2:], "another word": other[2:], "the key": core.key[4:6]}[rest]
        enable = {"EN": core.go[:1]} if held == "$dffe" else {}
        chosen = [core.register(f"chosen{n}", bit, held, **enable) for n, bit in enumerate(rests)]
        middle = [core.net(f"middle{n}", width) for n in range(2)]
        for n, y in enumerate(middle):
            a, b = ((bytes_[2 * n + i] * 2)[:width] for i in range(2))
            core.add(f"unit.$choice${n}", kind, A=a, B=b, S=[chosen[0]], Y=y)
        core.add("unit.$choice$2", kind, A=middle[0], B=middle[1], S=[chosen[1]], Y=core.net("byte", width))


def test_the_last_levels_of_a_table_are_exempt() -> None:
    report = check(TwoSteps().core)
    assert report.exempt == {"S-box": 4, "S-box in two steps": 3}


@pytest.mark.parametrize(
    "fault",
    [{"width": 9}, {"kind": "$pmux"}, {"writes": 1}, {"held": "$dffe"}, {"rest": "another word"}, {"rest": "the key"}, {"raw": True},
     {"register": "$dffe"}],
    ids=str,
)  # fmt: skip
def test_another_choice(fault: dict) -> None:
    """A choice of more than a byte, of what is not looked up, or by something else than the rest of the address."""
    with pytest.raises(TimingChannel, match=r"^(select in unit|memory address of quarter\d) depends on the "):
        check(TwoSteps(**fault).core)


def test_an_output_is_never_exempt() -> None:
    core = MadeCore()
    core.output("engine.cipher0.enc.sbox", [core.data[0]])
    assert_leak(core, "output engine.cipher0.enc.sbox", "data")


def test_exemptions_have_reasons() -> None:
    assert [entry.name for entry in EXEMPTIONS if not entry.users] == ["S-box", "S-box in two steps"]
    assert [entry.name for entry in EXEMPTIONS if entry.users] == ["choice in the user's cipher", "table in the user's cipher"]
    assert all(len(entry.reason) > 60 for entry in EXEMPTIONS)


# -- the verdict on a key -------------------------------------------------------------------------------------------------


def refusing(name: str = "bus.key_port.unusable_reg") -> tuple[MadeCore, int, int]:
    """A core that keeps a verdict on a key and tells it in two ways; the verdict and what it is made of."""
    core = MadeCore()
    found = core.gate(core.key)
    verdict = core.register(name, found)
    core.output("key_error", [core.register("error_reg", verdict)])
    state = core.register("state_reg", core.gate([verdict, core.go[0]]))
    core.output("key_loaded", [core.register("loaded_reg", state)])
    return core, verdict, found


@pytest.mark.parametrize("name", ["bus.key_port.unusable_reg", "x", "engine.cipher0.enc.sbox"])
def test_the_verdict_is_public(name: str) -> None:
    """It is found by what it is, under any name; a core of a mode that takes every key has none."""
    core, _, _ = refusing(name)
    assert check(core, VERDICTS).declassified == {KEY_VERDICT: 1}
    assert_leak(core, "output key_error", "key")
    assert check(MadeCore(), VERDICTS).declassified == {}


def test_a_verdict_of_two_bits() -> None:
    core = MadeCore()
    q = core.net("verdict_reg", 2)
    core.add("register of verdict", "$dff", D=core.key[:2], Q=q, CLK=core.clock)
    core.output("key_error", [core.gate(q)])
    assert_leak(core, "output key_error", "key", VERDICTS)


def test_two_registers_are_no_verdict() -> None:
    core = MadeCore()
    core.output("key_error", [core.register("error_reg", core.gate(core.key))])
    core.output("key_loaded", [core.register("loaded_reg", core.gate(core.key))])
    with pytest.raises(TimingChannel, match="^output key_(error|loaded) depends on the key: "):
        check(core, VERDICTS)


def test_a_wire_is_no_verdict() -> None:
    core = MadeCore()
    (wire,) = core.net("bus.key_port.unusable_reg")
    core.add("compare", "$eq", A=core.key[:4], B=core.key[4:], Y=[wire])
    core.output("key_error", [wire])
    assert_leak(core, "output key_error", "key", VERDICTS)


def test_a_verdict_that_other_outputs_tell() -> None:
    """What no output with that role tells is no verdict."""
    core = MadeCore()
    core.output("tuser", [core.register("some_reg", core.gate(core.key))])
    assert_leak(core, "output tuser", "key", VERDICTS)


def test_a_secret_that_goes_round_the_verdict_is_found() -> None:
    for output in ("key_error", "key_busy"):
        core, verdict, found = refusing()
        core.output(output, [core.gate([verdict, core.register("other_reg", found)])])
        assert_leak(core, f"output {output}", "key", VERDICTS)


@pytest.mark.parametrize("secret", ["data", "tweak"])
def test_other_secrets_do_not_go_through_a_verdict_of_their_own(secret: str) -> None:
    core, _, _ = refusing()
    core.output("tuser", [core.register("flag_reg", getattr(core, secret)[0])])
    assert_leak(core, "output tuser", secret, VERDICTS)


# -- results and verdicts in fields of a status ---------------------------------------------------------------------------------------

TAG = Result("status", 2, low=1, alone=False)
"""Bits 1 and 2 of a status: a tag."""

CODE = Verdict("whether the tag of a message is right", (Result("status", 1, low=3, alone=False),))
"""Bit 3: whether a tag is right."""


def judging(extra: int | None = None, code: int | None = None) -> MadeCore:
    """A core with statuses: a bit that is public or ``extra``, two of a tag, one that tells whether a tag is right."""
    core = MadeCore()
    right = core.register("right_reg", core.gate([*core.secrets, core.go[1]]))
    tag = [core.gate(core.secrets) for _ in range(2)]
    told = core.register("code_reg", core.gate([right, core.go[0]])) if code is None else code
    core.output("status", [core.go[0] if extra is None else extra, *tag, told])
    return core


def check_fields(core: MadeCore, *verdicts: Verdict) -> TaintReport:
    return check_netlist(core.netlist(), secrets(), [Result("m_axis_tdata", 2), TAG], verdicts)


def test_a_tag_in_a_status_is_a_result() -> None:
    report = check_fields(judging(), CODE)
    assert report.declassified == {CODE.about: 1}
    with pytest.raises(TimingChannel, match="^output status depends on the"):
        check_fields(judging())


def test_bits_beside_a_tag_are_public() -> None:
    core = MadeCore()
    with pytest.raises(TimingChannel, match="^output status depends on the key"):
        made = judging()
        made.output("status", [made.register("leak_reg", made.key[0]), *made.ports["status"]["bits"][1:]])
        check_fields(made, CODE)
    core.output("status", [core.go[0], core.gate(core.data), core.gate(core.secrets), core.go[1]])
    with pytest.raises(TimingChannel, match=r"status\[1\] does not depend on the key: the check would be empty"):
        check_fields(core, CODE)


BEYOND = [(Result("m_axis_tdata", 3), "m_axis_tdata has no bit 2"), (Result("tag", 8), "tag has no bit 7")]


@pytest.mark.parametrize(("result", "told"), BEYOND)
def test_results_that_the_netlist_does_not_have(result: Result, told: str) -> None:
    """Its bits are not left out without a word."""
    with pytest.raises(TimingChannel, match=f"^{told}: the result cannot be looked for$"):
        check_netlist(MadeCore().netlist(), secrets(), [Result("m_axis_tdata", 2), result])


def test_a_control_that_goes_round_the_verdict_on_a_tag_is_found() -> None:
    made = judging()
    made.output("m_axis_tvalid", [made.register("other_reg", made.gate(made.secrets))])
    with pytest.raises(TimingChannel, match="^output m_axis_tvalid depends on the"):
        check_fields(made, CODE)


def test_a_core_may_have_a_verdict_on_keys_and_one_on_tags() -> None:
    made = judging()
    made.output("key_error", [made.register("error_reg", made.register("refused_reg", made.gate(made.key)))])
    key = Verdict(KEY_VERDICT, (Result("key_error", 1),))
    for verdicts in ((key, CODE), (CODE, key)):
        assert check_fields(made, *verdicts).declassified == {key.about: 1, CODE.about: 1}
    with pytest.raises(TimingChannel):
        check_fields(made, CODE)
