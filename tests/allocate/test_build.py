# SPDX-License-Identifier: Apache-2.0
"""Blocks that nothing reads arrive on their lanes like the others."""

from __future__ import annotations

from tests.allocate.made import delays

from modeloom.allocate.check import check_program
from modeloom.allocate.program import InputName, LaneName
from modeloom.compiler.compile import compile_mode
from modeloom.options.sectors import Options
from modeloom.spec import XTS_ORDER, Keys, Mode


class FirstBlocks(Mode):
    """Encrypts the first half of the blocks and forgets the others.  No mode does that, and the compiler does not ask."""

    name = "first-blocks"
    title = source = security = "a test"
    field = XTS_ORDER
    key_parts = ("cipher",)

    def setup(self, o, key):
        return Keys()

    def encrypt(self, o, k, t, p):
        return [o.enc(p[i // 2]) for i in range(len(p))]

    decrypt = encrypt


def test_a_block_that_nothing_reads_has_its_lane() -> None:
    options = Options(sector=128, direction="encrypt", cipher_cores=2, cipher_stages=1, tweak=16, restarts=0)
    compiled = compile_mode(FirstBlocks, options, prove=False)
    program = compiled.allocation.program
    assert program.lanes == 2 and program.blocks == 8
    banks = {name: bank for name, bank in program.banks.items() if isinstance(name, InputName)}
    assert {name: bank.writer for name, bank in banks.items()} == {InputName(n): LaneName(n) for n in range(2)}
    # Blocks 4 to 7, which nothing reads, have cells between the others of their bank, and none lies on another.
    assert set(program.main.inputs) == set(range(8))
    for lane in range(2):
        assert all(0 <= program.main.inputs[i] < banks[InputName(lane)].cells for i in range(lane, 8, 2))
    check_program(program, **delays(compiled))
