# SPDX-License-Identifier: Apache-2.0
"""The rule of each type of cell, bit by bit, on cells made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from modeloom.taint.graph import REGISTERS, Bit, Cell, dependences, selects

A, B, S, Y = (list(range(n, n + 8)) for n in (10, 20, 30, 40))


class Recorder:
    """What each bit depends on, nodes that stand for several bits resolved."""

    def __init__(self) -> None:
        self.now: dict[Bit, set[Bit]] = {}
        self.before: dict[Bit, set[Bit]] = {}
        self.nodes: list[str] = []

    def comb(self, source: Bit, target: Bit) -> None:
        self.now.setdefault(target, set()).add(source)

    def clocked(self, source: Bit, target: Bit) -> None:
        self.before.setdefault(target, set()).add(source)

    def virtual(self, name: str) -> int:
        self.nodes.append(name)
        return 1000 + len(self.nodes)

    def reads(self, bit: Bit, edges: dict[Bit, set[Bit]]) -> set[Bit]:
        found: set[Bit] = set()
        for source in edges.get(bit, ()):
            inside = isinstance(source, int) and source > 1000
            found |= self.reads(source, self.now) if inside else {source}
        return {source for source in found if isinstance(source, int)}


def reads(kind: str, width: int, parameters: dict[str, Any] | None = None, **ports: Sequence[Bit]) -> list[set[Bit]]:
    """For each bit of Y, the bits that it depends on."""
    recorder = Recorder()
    dependences(Cell("cell", kind, parameters or {}, {**ports, "Y": Y[:width]}), recorder)
    assert not recorder.before
    return [recorder.reads(y, recorder.now) for y in Y[:width]]


@pytest.mark.parametrize("kind", ["$xor", "$xnor", "$and", "$or"])
def test_gates_read_bit_by_bit(kind: str) -> None:
    assert reads(kind, 3, A=A[:3], B=B[:3]) == [{A[i], B[i]} for i in range(3)]
    assert reads(kind, 2, A=A[:4], B=B[:3]) == [{A[0], B[0]}, {A[1], B[1]}], "what does not fit is cut off"
    zero = set() if kind == "$and" else {A[2]}
    assert reads(kind, 3, A=A[:3], B=B[:2]) == [{A[0], B[0]}, {A[1], B[1]}, zero], "zeros are put before"
    signed = {"A_SIGNED": 1, "B_SIGNED": 1}
    assert reads(kind, 3, signed, A=A[:3], B=B[:2])[2] == {A[2], B[1]}, "or the sign"


@pytest.mark.parametrize("kind", ["$not", "$pos", "$buf"])
def test_gates_of_one_operand(kind: str) -> None:
    assert reads(kind, 4, A=A[:2]) == [{A[0]}, {A[1]}, set(), set()]
    assert reads(kind, 3, {"A_SIGNED": 1}, A=A[:2]) == [{A[0]}, {A[1]}, {A[1]}]


def test_constants_that_decide() -> None:
    assert reads("$and", 2, A=A[:2], B=["0", "1"]) == [set(), {A[1]}]
    assert reads("$or", 2, A=["1", "0"], B=B[:2]) == [set(), {B[1]}]
    assert reads("$xor", 2, A=["1", "0"], B=B[:2]) == [{B[0]}, {B[1]}]


def test_choices_between_wide_values() -> None:
    assert reads("$mux", 2, A=A[:2], B=B[:2], S=S[:1]) == [{A[i], B[i], S[0]} for i in range(2)]
    assert reads("$pmux", 2, A=A[:2], B=B[:4], S=S[:2]) == [{A[i], B[i], B[2 + i], *S[:2]} for i in range(2)]
    assert reads("$bmux", 2, A=A[:8], S=S[:2]) == [{A[i], A[2 + i], A[4 + i], A[6 + i], *S[:2]} for i in range(2)]
    assert reads("$bwmux", 2, A=A[:2], B=B[:2], S=S[:2]) == [{A[i], B[i], S[i]} for i in range(2)]


def test_a_bit_that_all_choices_share_depends_on_no_select() -> None:
    assert reads("$mux", 2, A=A[:2], B=[A[0], B[1]], S=S[:1]) == [{A[0]}, {A[1], B[1], S[0]}]
    assert reads("$bmux", 1, A=[A[0]] * 4, S=S[:2]) == [{A[0]}]
    assert reads("$mux", 1, A=["0"], B=["1"], S=S[:1]) == [{S[0]}]


@pytest.mark.parametrize("kind", ["$add", "$sub"])
def test_sums_read_all_bits_below(kind: str) -> None:
    assert reads(kind, 3, A=A[:3], B=B[:3]) == [{*A[: i + 1], *B[: i + 1]} for i in range(3)]
    assert reads(kind, 3, A=A[:1], B=B[:3]) == [{A[0], *B[: i + 1]} for i in range(3)]
    assert reads("$neg", 3, A=A[:3]) == [set(A[: i + 1]) for i in range(3)]


def place(number: int, width: int) -> list[Bit]:
    return list(f"{number & (1 << width) - 1:0{width}b}"[::-1])


@pytest.mark.parametrize(("kind", "sign"), [("$shl", 1), ("$sshl", 1), ("$shr", -1), ("$sshr", -1), ("$shift", -1), ("$shiftx", -1)])
@pytest.mark.parametrize("distance", [0, 1, 2, 3, 5])
def test_constant_shifts_move_bits(kind: str, sign: int, distance: int) -> None:
    found = reads(kind, 4, A=A[:4], B=place(distance, 3))
    assert found == [{A[i - sign * distance]} if 0 <= i - sign * distance < 4 else set() for i in range(4)]


@pytest.mark.parametrize("distance", [-4, -3, -1, 0, 1, 3])
def test_shifts_by_signed_distances(distance: int) -> None:
    found = reads("$shift", 4, {"B_SIGNED": 1}, A=A[:4], B=place(distance, 3))
    assert found == [{A[i + distance]} if 0 <= i + distance < 4 else set() for i in range(4)]
    unsigned = reads("$shift", 4, A=A[:8], B=place(4, 3))
    assert unsigned == [{A[i + 4]} for i in range(4)]


def test_shifts_of_signed_values_repeat_the_sign() -> None:
    assert reads("$sshr", 4, {"A_SIGNED": 1}, A=A[:3], B=place(1, 2)) == [{A[1]}, {A[2]}, {A[2]}, {A[2]}]
    assert reads("$sshr", 4, A=A[:3], B=place(1, 2)) == [{A[1]}, {A[2]}, set(), set()]
    assert reads("$shr", 2, A=A[:2], B=[]) == [{A[0]}, {A[1]}]
    assert reads("$shr", 2, {"B_SIGNED": 1}, A=A[:2], B=[]) == [{A[0]}, {A[1]}]


@pytest.mark.parametrize("kind", ["$shl", "$shr", "$shiftx"])
def test_shifts_by_a_signal_read_everything(kind: str) -> None:
    assert reads(kind, 2, A=A[:2], B=["0", B[1]]) == [{*A[:2], B[1]}] * 2


@pytest.mark.parametrize("kind", ["$mul", "$div", "$mod", "$divfloor", "$modfloor", "$pow"])
def test_products_read_everything(kind: str) -> None:
    assert reads(kind, 3, A=A[:2], B=B[:2]) == [{*A[:2], *B[:2]}] * 3


@pytest.mark.parametrize("kind", ["$eq", "$ne", "$eqx", "$nex", "$lt", "$le", "$gt", "$ge", "$logic_and", "$logic_or"])
def test_comparisons_give_one_bit(kind: str) -> None:
    assert reads(kind, 3, A=A[:2], B=B[:2]) == [{*A[:2], *B[:2]}, set(), set()]


@pytest.mark.parametrize("kind", ["$reduce_and", "$reduce_or", "$reduce_xor", "$reduce_xnor", "$reduce_bool", "$logic_not"])
def test_reductions_give_one_bit(kind: str) -> None:
    assert reads(kind, 2, A=A[:3]) == [set(A[:3]), set()]
    assert reads(kind, 1, A=A[:1]) == [{A[0]}] and reads(kind, 1, A=["1", "0"]) == [set()]


@pytest.mark.parametrize("kind", REGISTERS)
def test_registers_read_a_cycle_earlier(kind: str) -> None:
    recorder = Recorder()
    controls = {port: [S[n]] for n, port in enumerate(REGISTERS[kind])}
    dependences(Cell("cell", kind, {}, {"D": A[:2], "Q": Y[:2], **controls}), recorder)
    assert not recorder.now
    wires = {bit for bits in controls.values() for bit in bits}
    assert recorder.before == {Y[i]: {A[i], *wires} for i in range(2)}


@pytest.mark.parametrize("clocked", [0b00, 0b01, 0b10, 0b11])
def test_memories_of_two_ports_each(clocked: int) -> None:
    """Addresses of two bits, words of two bits; each port has bits of its own."""
    names = ("RD_ADDR", "RD_DATA", "RD_CLK", "RD_EN", "RD_ARST", "RD_SRST", "WR_ADDR", "WR_DATA", "WR_EN", "WR_CLK")
    widths = {"ADDR": 2, "DATA": 2}
    bits = {name: list(range(100 + 10 * n, 100 + 10 * n + 2 * widths.get(name[3:], 1))) for n, name in enumerate(names)}
    bits["WR_EN"] = list(range(400, 404))
    sizes = {"WIDTH": 2, "ABITS": 2, "SIZE": 4, "RD_PORTS": 2, "WR_PORTS": 2, "RD_CLK_ENABLE": clocked}
    recorder = Recorder()
    dependences(Cell("mem", "$mem_v2", sizes, bits), recorder)
    assert recorder.nodes == ["mem column 0", "mem column 1"]
    for i in range(2):
        written = {bit for n in range(2) for bit in (bits["WR_DATA"][2 * n + i], bits["WR_EN"][2 * n + i], bits["WR_CLK"][n])}
        assert recorder.before[1001 + i] == written | set(bits["WR_ADDR"])
    for n in range(2):
        address = set(bits["RD_ADDR"][2 * n : 2 * n + 2])
        controls = {bits[name][n] for name in ("RD_CLK", "RD_EN", "RD_ARST", "RD_SRST")}
        for i in range(2):
            read = bits["RD_DATA"][2 * n + i]
            if clocked >> n & 1:
                assert recorder.before[read] == {1001 + i, *address, *controls} and read not in recorder.now
            else:
                assert recorder.now[read] == {1001 + i, *address} and read not in recorder.before


def test_selects() -> None:
    for kind in ("$mux", "$pmux", "$bmux", "$bwmux"):
        assert selects(Cell("c", kind, {}, {"A": A, "B": B, "S": S[:2]})) == S[:2]
    for kind in ("$shl", "$sshl", "$shr", "$sshr", "$shift", "$shiftx"):
        assert selects(Cell("c", kind, {}, {"A": A, "B": B[:2]})) == B[:2]
    assert selects(Cell("c", "$and", {}, {"A": A, "B": B})) == ()
