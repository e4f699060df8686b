# SPDX-License-Identifier: Apache-2.0
"""Every form of the S-box: its gates for all values, its hardware by a solver, its registers in one simulation."""

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.built import slow
from tests.formal.bits import Bits, constant, fresh
from tests.formal.machine import Machine
from tests.formal.proof import holds

from modeloom.rtl.aes.parameters import LAYERS
from modeloom.rtl.aes.sboxes import SBOXES, SBox, best_order, sub_bytes_of, tower_matrix
from modeloom.rtl.logic import rank
from modeloom.sim import Simulation
from modeloom.taint.graph import netlist_of_rtlil
from modeloom_golden.aes_steps import inv_sub_byte, sub_byte

FORWARD = tuple(map(sub_byte, range(256)))
INVERSE = tuple(map(inv_sub_byte, range(256)))
TABLES = {"forward": FORWARD, "inverse": INVERSE, "both": FORWARD + INVERSE}
BY_GATES = [name for name, form in SBOXES.items() if form.gates]

# AND gates, XOR gates and depth; 113 to 115 and 121 gates are the smallest published ones of Boyar and Peralta.
COUNTS = {
    ("composite", "forward"): (36, 106, 28),
    ("composite", "inverse"): (36, 106, 30),
    ("composite", "both"): (52, 160, 35),
    ("bdd", "forward"): (342, 629, 19),
    ("bdd", "inverse"): (342, 633, 19),
    ("bdd", "both"): (608, 1154, 22),
    ("compact", "forward"): (32, 76, 29),
    ("compact", "inverse"): (32, 76, 27),
    ("compact", "both"): (42, 125, 43),
}


@pytest.mark.parametrize("direction", LAYERS)
@pytest.mark.parametrize("kind", BY_GATES)
def test_gates_for_all_values(kind, direction):
    gates = SBOXES[kind].gates(direction)
    assert gates.table() == TABLES[direction]
    assert (gates.ands, gates.xors, gates.depth) == COUNTS[kind, direction]
    with pytest.raises(ValueError, match="direction must be one of"):
        SBOXES[kind].gates("sideways")


def test_compact_is_smaller_than_published():
    forward, inverse = (SBOXES["compact"].gates(direction) for direction in ("forward", "inverse"))
    assert forward.ands == inverse.ands == 32
    assert forward.ands + forward.xors < 113
    assert inverse.ands + inverse.xors < 121


def test_tower_map_is_an_isomorphism():
    assert rank(tower_matrix()) == 8


def test_best_order_against_all_orders_of_a_small_function():
    # (x0 and x1) or (x2 and x3): its pairs must not be torn apart.
    function = "".join(str(int(x & 3 == 3 or x >> 2 & 3 == 3)) for x in range(16))
    order = best_order([function], 4)
    assert {frozenset(order[:2]), frozenset(order[2:])} == {frozenset((0, 1)), frozenset((2, 3))}


class Many(wiring.Component):
    """S-boxes on the same input, each with its output."""

    def __init__(self, sboxes):
        self.sboxes = sboxes
        super().__init__({"i": In(8), "inverse": In(1), **{name: Out(8) for name in sboxes}})

    def elaborate(self, platform):
        m = Module()
        for name, sbox in self.sboxes.items():
            m.submodules[f"the_{name}"] = sbox
            m.d.comb += [sbox.i.eq(self.i), getattr(self, name).eq(sbox.o)]
            if sbox.direction == "both":
                m.d.comb += sbox.inverse.eq(self.inverse)
        return m


def chosen(words: list[Bits], by: Bits) -> Bits:
    """The word at a place, as a tree of choices."""
    for n in range(by.width):
        words = [by[n].choose(high, low) for low, high in zip(words[::2], words[1::2], strict=True)]
    return words[0]


def test_hardware_is_equivalent_to_the_table():
    """The netlist of each form against the table, for a free input: there is no input for which they differ."""
    sboxes = {f"{kind}_{direction}": SBox(kind, direction) for kind in (*BY_GATES, "lut") for direction in LAYERS}
    netlist = netlist_of_rtlil(rtlil.convert(Many(sboxes), name="many"), "many")
    state = Machine(netlist).free("any")
    byte, inverse = state["i"], state["inverse"]
    forward, backward = (chosen([constant(y, 8) for y in table], byte) for table in (FORWARD, INVERSE))
    both = inverse.choose(backward, forward)
    for name, sbox in sboxes.items():
        wanted = {"forward": forward, "inverse": backward, "both": both}[sbox.direction]
        assert holds(state[name].equals(wanted), watch=[byte, inverse]) is None, name
    # The solver does see a difference.
    assert holds(state["compact_forward"].equals(wanted), watch=[byte, inverse]) is not None
    assert holds(fresh("free", 8).equals(0)) is not None


@pytest.mark.parametrize(
    "forms",
    [
        [("lut", "both", 2), ("bram", "both", None), ("composite", "both", 5), ("compact", "inverse", 4)],
        pytest.param(
            [
                ("lut", "forward", 1), ("lut", "inverse", 2), ("bram", "forward", 1), ("bram", "inverse", 2), ("composite", "forward", 1),
                ("bdd", "inverse", 2), ("compact", "forward", 2), ("compact", "both", 3), ("compact", "forward", 40),
            ],
            marks=slow,
        ),
    ],
    ids=["some", "others"],
)  # fmt: skip
def test_registers(forms):
    """All values, one a cycle, through S-boxes with registers: each result comes ``latency`` cycles after its byte."""
    sboxes = {f"{kind}_{direction}_{stages}": SBox(kind, direction, stages) for kind, direction, stages in forms}
    assert all(sbox.latency == (1 if stages is None else stages) for sbox, (_, _, stages) in zip(sboxes.values(), forms, strict=True))
    simulation = Simulation.of(rtlil.convert(Many(sboxes), name="many"), "many", optimize=0)
    seen = {name: [] for name in sboxes}
    for cycle in range(512 + max(sbox.latency for sbox in sboxes.values())):
        simulation.set("i", cycle * 167 & 255)
        simulation.set("inverse", cycle >> 1 & 1)
        for name, values in seen.items():
            values.append(simulation.get(name))
        simulation.step()
    for name, sbox in sboxes.items():
        for cycle in range(512):
            inverse = cycle >> 1 & 1 if sbox.direction == "both" else sbox.direction == "inverse"
            wanted = (INVERSE if inverse else FORWARD)[cycle * 167 & 255]
            assert seen[name][cycle + sbox.latency] == wanted, (name, cycle)


def test_registers_in_gates_have_no_reset():
    """Fewer wires, and registers that a mapper may move: nothing in the circuit reads the reset."""
    text = rtlil.convert(SBox("composite", "forward", 5), name="sbox")
    assert text.count("\\clk") > 1 and text.count("\\rst") == 1, "the port alone"


def test_state_of_several_bytes():
    m = Module()
    for kind in SBOXES:
        for inverse in (False, True, Signal()):
            assert len(sub_bytes_of(m, Signal(32), kind, inverse=inverse)) == 32


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rom",), "the S-box must be one of lut, bram"),
        (("lut", "backward"), "direction must be one of"),
        (("lut", "forward", 3), "stages must be from 0 to 2, not 3"),
        (("bram", "forward", 0), "stages must be from 1 to 2, not 0"),
    ],
)
def test_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        SBox(*arguments)


def test_stages_must_be_a_number():
    with pytest.raises(TypeError, match="stages must be an integer"):
        SBox("lut", "forward", 1.0)


@pytest.mark.parametrize("width", [0, 7, 12])
def test_state_must_be_whole_bytes(width):
    with pytest.raises(ValueError, match=f"whole number of bytes, not {width} bits"):
        sub_bytes_of(Module(), Signal(width))
