# SPDX-License-Identifier: Apache-2.0
"""The file of a sweep: which points it has, and what is refused before anything runs."""

from __future__ import annotations

import pytest

from modeloom.spec import InputError
from modeloom.sweep.configuration import Configuration
from modeloom.sweep.grid import read_sweep

MINE = """
from modeloom.spec import Keys, Mode

class Mine(Mode):
    name = "mine"
    title = source = security = "for tests"
    tweak_sizes = (16,)

    def setup(self, o, key):
        return Keys()

    def encrypt(self, o, k, t, p):
        return [o.enc(x ^ t[0]) for x in p]

    def decrypt(self, o, k, t, c):
        return [o.dec(x) ^ t[0] for x in c]
"""


def read(tmp_path, text):
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    return read_sweep(tmp_path / "a.toml")


def test_points_are_the_product(tmp_path):
    sweep = read(
        tmp_path,
        """
        [sweep]
        targets = ["xc7", "ecp5"]
        results = "there.sqlite"
        timeout = 60
        [[grid]]
        modes = ["hctr2", "mine.py:Mine"]
        sector = [64, [512, 4096]]
        aes = [1, 2]
        exact = [true, false]
        [[grid]]
        modes = ["gcm"]
        blocks_per_cycle = 2
        targets = []
        [[grid]]
        circuits = ["karatsuba"]
        halt = [4, 8]
        targets = ["gates"]
        """,
    )
    assert len(sweep.points) == 2 * 2 * 2 * 2 * 2 + 1 + 2
    assert (sweep.results, sweep.timeout) == (tmp_path / "there.sqlite", 60)
    first = sweep.points[0]
    assert first == Configuration("sector", "hctr2", {"sector": 64, "cipher-cores": 1, "exact": True}, "xc7", "core")
    assert first.command == "modeloom build hctr2 --cipher-cores 1 --exact --sector 64 -o DIR && modeloom synth DIR --target xc7"
    assert {point.options["sector"] for point in sweep.points if point.name == "mine.py:Mine"} == {64, "512,4096"}
    assert sweep.points[-3].command == "modeloom explain gcm --blocks-per-cycle 2"
    assert sweep.points[-1].command == "modeloom circuit karatsuba --halt 8 --target gates"
    assert all(Configuration.from_dict(point.as_dict()) == point for point in sweep.points)


def test_two_spellings_are_one_point(tmp_path):
    grids = "".join(f'[[grid]]\nmodes = ["xts"]\n{name} = 2\n' for name in ("aes", "cipher-cores", "cipher_cores"))
    assert len(read(tmp_path, grids).points) == 1


def test_what_is_placed_and_routed_is_mapped_as_a_whole(tmp_path):
    text = '[sweep]\narea = "blocks"\n[[grid]]\nmodes = ["xts"]\ntargets = ["xc7", "ecp5"]\npnr = true\nfreq = 150\n'
    xc7, ecp5 = read(tmp_path, text).points
    assert (xc7.area, xc7.pnr, xc7.freq) == ("blocks", False, None)
    assert (ecp5.area, ecp5.pnr, ecp5.freq) == ("core", True, 150.0)
    assert ecp5.command.endswith("modeloom synth DIR --target ecp5 --pnr --freq 150")


WRONG = {
    "": r"has no points; add a \[\[grid\]\]",
    "[[grid]": "is not valid TOML",
    "[grids]\n": "unknown table 'grids' in .*; did you mean grid",
    "[sweep]\ntarget = []": "unknown key 'target' of \\[sweep\\] in .*; did you mean targets",
    "[sweep]\ntimeout = 0\n[[grid]]\nmodes = ['xts']": "timeout must be a number of seconds above 0, not 0",
    "[sweep]\nresults = 1": "results must be a string, not 1",
    "[sweep]\nsimulate = 1": "simulate must be true or false, not 1",
    "sweep = 3": "write \\[sweep\\]",
    "grid = [3]": "has one or more grids; write \\[\\[grid\\]\\]",
    "[[grid]]\n": "grid 1: a grid needs modes",
    "[[grid]]\nmodes = ['xts']\ncircuits = ['karatsuba']": "either modes or circuits",
    "[[grid]]\nmodes = []": "modes must be a non-empty list of names",
    "[[grid]]\nmodes = ['hctr3']": "unknown mode 'hctr3'; did you mean hctr",
    "[[grid]]\nmodes = ['none.py:Mine']": "there is no Python file none.py",
    "[[grid]]\nmodes = ['mine.py:Yours']": "unknown mode in mine.py 'Yours'",
    "[[grid]]\ncircuits = ['karatsubo']": "unknown circuit 'karatsubo'",
    "[[grid]]\ncircuits = ['karatsuba']\nhalt = 'x'": "--halt must be",
    "[[grid]]\ncircuits = ['karatsuba']\nhold = 1": "unknown option 'hold' of karatsuba; ",
    "[[grid]]\ncircuits = ['karatsuba', 'mastrovito']\nhalt = [2]": "unknown option 'halt' of mastrovito; choose from field, stages",
    "results = 'a.sqlite'\n[[grid]]\nmodes = ['xts']": r"results is outside of \[sweep\] and \[\[grid\]\]; move it into one of them",
    "[[grid]]\ncircuits = ['karatsuba']\nsimulate = true": "simulate is for modes",
    "[[grid]]\nmodes = ['xts']\nsectors = 512": "unknown option 'sectors'; did you mean sector",
    "[[grid]]\nmodes = ['xts', 'gcm']\nsector = 512": "sector is an option of modes for sectors, but gcm is a stream mode",
    "[[grid]]\nmodes = ['xts']\nchannels = 2": "channels is an option of stream modes, but xts is a mode for sectors",
    "[[grid]]\nmodes = ['xts']\naes = 'two'": "two.* is not a valid integer",
    "[[grid]]\nmodes = ['xts']\naes = true": "cipher-cores must be a value, not true",
    "[[grid]]\nmodes = ['xts']\nexact = 3": "exact must be true or false, not 3",
    "[[grid]]\nmodes = ['xts']\naes = 1.5": "aes must be an integer, a string, true or false, not 1.5",
    "[[grid]]\nmodes = ['xts']\naes = []": "aes is an empty list",
    "[[grid]]\nmodes = ['xts']\naes = {n = 1}": "not a table",
    "[[grid]]\nmodes = ['xts']\naes = 1\ncipher-cores = 2": "cipher-cores is given twice, as aes and as cipher-cores; leave out one",
    "[[grid]]\nmodes = ['xts']\nsector = '512,x'": "is not a size in bytes",
    "[[grid]]\nmodes = ['xts']\ntargets = 'xc7'": "targets must be a list, not 'xc7'",
    "[[grid]]\nmodes = ['xts']\ntargets = ['xc9']": "unknown target 'xc9'",
    "[[grid]]\nmodes = ['xts']\ntargets = [7]": "targets must be a list of names",
    "[[grid]]\nmodes = ['xts']\ntargets = ['liberty:none.lib']": "none.lib",
    "[[grid]]\nmodes = ['xts']\ntargets = ['xc7']\npnr = true": "pnr is for ecp5, nexus",
    "[[grid]]\nmodes = ['xts']\nfreq = 100": "add pnr = true",
    "[[grid]]\nmodes = ['xts']\ntargets = ['ecp5']\npnr = true\nfreq = -1": "clock in MHz above 0",
    "[[grid]]\nmodes = ['xts']\narea = 'all'": "unknown area 'all'",
    f"[[grid]]\nmodes = ['xts']\nsector = {list(range(400))}\nmul = {list(range(400))}": "more than 100000 points",
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG, ids=map(str, range(len(WRONG))))
def test_wrong_files_are_refused(tmp_path, text):
    with pytest.raises(InputError, match=WRONG[text]) as refusal:
        read(tmp_path, text)
    assert "\n" not in str(refusal.value) and "a.toml" in str(refusal.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="there is no file"):
        read_sweep(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read: it is not valid UTF-8"):
        read_sweep(tmp_path / "bytes.toml")
