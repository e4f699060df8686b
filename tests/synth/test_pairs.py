# SPDX-License-Identifier: Apache-2.0
"""LUT-FF pairs: each sentence of the packing rule on a netlist written by hand."""

from typing import Any

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.synth.designs import Adder, AsyncMemory, XorTree, convert
from tests.synth.netlists import cell, module

from modeloom.synth import synthesize, target_named
from modeloom.synth.netlist import Pairs, lut_ff_pairs

XC7, XC3SE, ECP5 = (target_named(name) for name in ("xc7", "xc3se", "ecp5"))


def pairs(cells: dict[str, Any], target=XC7) -> Pairs:
    return lut_ff_pairs({"modules": {"top": module(cells)}}, "top", target)


def lut(inputs: list[int], output: int) -> dict[str, Any]:
    return cell(f"LUT{len(inputs)}", {f"I{n}": bit for n, bit in enumerate(inputs)}, {"O": output})


def register(data: int, output: int, kind: str = "FDRE") -> dict[str, Any]:
    return cell(kind, {"D": data, "C": 1, "CE": 2}, {"Q": output})


def wide(kind: str, data: tuple[int, int], select: int, output: int) -> dict[str, Any]:
    return cell(kind, {"I0": data[0], "I1": data[1], "S": select}, {"O": output})


def test_register_behind_a_lut_is_free_and_one_without_is_not():
    assert pairs({"a": lut([3, 4], 10), "q": register(10, 11)}) == Pairs(1, 0, 0)
    # The output of the LUT may go elsewhere too.
    assert pairs({"a": lut([3, 4], 10), "q": register(10, 11), "b": lut([10, 4], 12)}) == Pairs(1, 1, 0)
    assert pairs({"a": lut([3, 4], 10), "q": register(5, 11)}) == Pairs(0, 1, 1)
    # A register of a register, and a register that feeds a LUT, have no LUT in front of them.
    assert pairs({"q": register(3, 10), "r": register(10, 11), "a": lut([11, 3], 12)}) == Pairs(0, 1, 2)
    assert pairs({}).total == 0


def test_enable_does_not_make_a_pair():
    enabled = cell("FDRE", {"D": 5, "C": 1, "CE": 10, "R": 10}, {"Q": 11})
    assert pairs({"a": lut([3, 4], 10), "q": enabled}) == Pairs(0, 1, 1)


def test_a_pair_has_one_register():
    found = pairs({"a": lut([3, 4], 10), "q": register(10, 11), "r": register(10, 12, "FDSE")})
    assert found == Pairs(1, 0, 1)
    assert found.total == 2


def test_wide_multiplexers_reach_any_lut_behind_them():
    cells = {"a": lut([3], 10), "b": lut([4], 11), "f": wide("MUXF7", (10, 11), 5, 12), "q": register(12, 13)}
    assert pairs(cells) == Pairs(1, 1, 0)
    # One of the LUTs has a register of its own. The other takes the register of the multiplexer, whatever the order of cells.
    for own in (10, 11):
        both = {**cells, "r": register(own, 14)}
        assert pairs(both) == pairs(dict(reversed(both.items()))) == Pairs(2, 0, 0)
    # Two levels of them: four LUTs. Three registers have a choice between the first two, and the last one can go to any.
    more = {"c": lut([3], 20), "d": lut([4], 21), "g": wide("MUXF7", (20, 21), 5, 22), "h": wide("MUXF8", (12, 22), 6, 23)}
    tree = {**cells, **more, "s": register(23, 24), "t": register(10, 25), "u": register(11, 26)}
    assert pairs(tree) == pairs(dict(reversed(tree.items()))) == Pairs(3, 1, 1)
    # The input that selects does not count.
    assert pairs({"a": lut([3], 10), "f": wide("MUXF7", (7, 8), 10, 12), "q": register(12, 13)}) == Pairs(0, 1, 1)


def test_longer_exchanges_of_places():
    """Each register in turn needs the place of the one before."""
    cells: dict[str, Any] = {f"a{n}": lut([3, 4], 10 + n) for n in range(6)}
    cells |= {f"f{n}": wide("MUXF7", (10 + n, 11 + n), 5, 20 + n) for n in range(5)}
    cells |= {f"q{n}": register(20 + n, 30 + n) for n in range(5)}
    cells["last"] = register(10, 40)
    assert pairs(cells) == pairs(dict(reversed(cells.items()))) == Pairs(6, 0, 0)


def test_shift_registers_and_memories_take_luts():
    shift = cell("SRL16E", {"D": 3, "CLK": 1, "A0": 4}, {"Q": 10})
    assert pairs({"s": shift}) == Pairs(0, 1, 0)
    assert pairs({"s": shift, "q": register(10, 11)}) == Pairs(1, 0, 0)
    memory = {"type": "RAM32M", "connections": {"DIA": [3, 4], "WCLK": [1], "DOA": [10, 11], "DOB": [12, 13], "DOC": [14, 15]},
              "port_directions": {"DIA": "input", "WCLK": "input", "DOA": "output", "DOB": "output", "DOC": "output"}}  # fmt: skip
    assert pairs({"m": memory}) == Pairs(0, 4, 0)
    # Six registers behind four LUTs.
    assert pairs({"m": memory, **{f"q{n}": register(10 + n, 20 + n) for n in range(6)}}) == Pairs(4, 0, 2)


def test_carries():
    bits = {"S": [10, 11, 7, 8], "DI": [3, 3, 3, 3], "CI": [5], "O": [20, 21, 22, 23], "CO": [24, 25, 26, 27]}
    ways = {"S": "input", "DI": "input", "CI": "input", "O": "output", "CO": "output"}
    sums = {"type": "CARRY4", "connections": bits, "port_directions": ways}
    luts = {"a": lut([3, 4], 10), "b": lut([3, 4], 11)}
    assert pairs({**luts, "c": sums, **{f"q{n}": register(20 + n, 30 + n) for n in range(4)}}) == Pairs(2, 0, 2)
    assert pairs({**luts, "c": sums, "q": register(21, 30), "carry": register(25, 31)}) == Pairs(1, 1, 1)
    old = {**luts, "x": cell("XORCY", {"LI": 10, "CI": 5}, {"O": 20}), "q": register(20, 30)}
    assert pairs(old, XC3SE) == Pairs(1, 1, 0)


def test_ecp5():
    flip_flop = cell("TRELLIS_FF", {"DI": 12, "CLK": 1}, {"Q": 13})
    cells = {"a": cell("LUT4", {"A": 3}, {"Z": 10}), "b": cell("LUT4", {"A": 3}, {"Z": 11}),
             "f": cell("PFUMX", {"ALUT": 10, "BLUT": 11, "C0": 4}, {"Z": 12}), "q": flip_flop}  # fmt: skip
    assert pairs(cells, ECP5) == Pairs(1, 1, 0)
    adder = {"c": cell("CCU2C", {"A0": 3, "CIN": 4}, {"S0": 12, "S1": 14, "COUT": 15}), "q": flip_flop}
    assert pairs(adder, ECP5) == Pairs(1, 1, 0)


def test_gates_have_no_pairs():
    with pytest.raises(ValueError, match="target gates has no LUTs"):
        pairs({}, target_named("gates"))


class Pipelined(wiring.Component):
    """Figures 7 and 8 of luts2017: eight sums of six bits with the register behind the sum, or at its inputs."""

    def __init__(self, *, behind: bool) -> None:
        self.behind = behind
        super().__init__({"i": In(48), "o": Out(8)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        taken = Signal(48)
        m.d[("comb" if self.behind else "sync")] += taken.eq(self.i)
        for n in range(8):
            m.d[("sync" if self.behind else "comb")] += self.o[n].eq(taken[6 * n : 6 * n + 6].xor())
        return m


def test_where_registers_stand_decides_their_cost():
    free = synthesize(convert(Pipelined(behind=True), "free"), "free", "xc7")
    assert (free.luts, free.ffs, free.pairs, free.pairs_with_both) == (8, 8, 8, 8)
    dear = synthesize(convert(Pipelined(behind=False), "dear"), "dear", "xc7")
    assert (dear.luts, dear.ffs, dear.pairs, dear.pairs_with_both) == (8, 48, 56, 0)


@pytest.mark.parametrize("target", ["xc7", "ecp5"])
@pytest.mark.parametrize("design", [Adder(16), AsyncMemory()], ids=lambda design: type(design).__name__)
def test_pairs_of_mapped_designs_lie_between_their_bounds(design, target):
    result = synthesize(convert(design, "design"), "design", target)
    luts = result.luts + result.memories["lutram_luts"] + result.memories["srl_luts"]
    assert max(luts, result.ffs) <= result.pairs == luts + result.ffs - result.pairs_with_both < luts + result.ffs
    assert type(result).from_dict(result.to_dict()) == result


def test_results_for_gates_have_no_pairs():
    result = synthesize(convert(XorTree(), "design"), "design", "gates")
    assert (result.pairs, result.pairs_with_both) == (None, None)
