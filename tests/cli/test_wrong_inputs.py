# SPDX-License-Identifier: Apache-2.0
"""A table of wrong inputs: every command, every argument; each is one line on standard error and exit status 2, and leaves no file.

The lines stand in ``expected/wrong_COMMAND.txt``, one file for each command.  None of these inputs gets as far as tracing a mode,
building a simulation or mapping a design: these functions raise here.
"""

import re
import shlex
import shutil
from pathlib import Path

import click
import pytest
from tests import built, streamed

from modeloom.cli import cli
from modeloom.compiler import compile as passes
from modeloom.compiler import streams
from modeloom.cores.sector import SectorCore
from modeloom.cores.stream import StreamCore
from modeloom.emit import building, emit
from modeloom.measure import area as circuits
from modeloom.measure import area as measure
from modeloom.product import driven
from modeloom.synth import flow as nextpnr

CASES = {
    "general": [
        "BUILD hctr2", "bulid hctr2", "zzz", "--jsn",
    ],
    "list": [
        "list extra", "list --jsn",
    ],
    "explain": [
        "explain hctr2 extra", "explain ''", "explain HCTR3", "explain file.py:Mode", "explain hctr2:",
        "explain hctr2 --sector 8193", "explain hctr2 --sector 100000000", "explain hctr2 --sector 512,100000",
        "explain hctr2 --sector 99999999999999999999999999", "explain hctr2 --sector 0", "explain hctr2 --sector 512,512",
        "explain hctr2 --sector ,", "explain hctr2 --sector 1e3", "explain hctr2 --sector 64,65,66,67,68,69,70,71,72",
        "explain eme --sector 4096", "explain hctr2 --tweak -1", "explain hctr2 --tweak x", "explain hctr2 --key-bits 100",
        "explain hctr2 --cipher sm5", "explain hctr2 --cipher sm4 --key-bits 256", "explain hctr2 --cipher sm4 --cipher-stages 3",
        "explain hctr2 --cipher sm4 --cipher-sbox bram", "explain hctr2 --direction Both",
        "explain hctr2 --cipher-cores 0", "explain hctr2 --cipher-cores 65", "explain hctr2 --aes two",
        "explain hctr2 --cipher-arch PIPELINE", "explain hctr2 --cipher-sbox LUTS", "explain hctr2 --cipher-stages 0",
        "explain hctr2 --cipher-stages 5", "explain hctr2 --aes-stages 5", "explain hctr2 --mul -1", "explain hctr2 --mul-arch Karatsubas",
        "explain hctr2 --mul-stages 0", "explain hctr2 --mul-stages 9", "explain hctr2 --squares never", "explain hctr2 --lanes 5",
        "explain hctr2 --acc 17", "explain hctr2 --terms 17", "explain hctr2 --storage ram", "explain hctr2 --key-slots 0",
        "explain hctr2 --wire-effort -1",
        "explain hctr2 --key-slots 257",
        "explain hctr2 --overlap --no-overlap", "explain hctr2 --exact=1", "explain hctr2 --preset TES2010-ful",
        "explain hctr2 --blocks-per-cycle 1", "explain hctr2 --channels 1", "explain hctr2 --hold 2048",
        "explain hctr2 --keys expanded", "explain gcm --keys inlined", "explain hctr2 --packet wire",
        "explain hctr2 --key-schedule word", "explain gcm --key-schedule fast", "explain gcm --cipher sm4 --key-schedule iterative",
        "explain gcm --keys derived", "explain gcm-siv", "explain gcm-siv --keys derived --key-derivers 9",
        "explain gcm-siv --keys inline --key-derivers 2",
        "explain gcm-siv --keys derived --key-slots 65", "explain gcm-siv --keys derived --channels 2",
        "explain gcm --message-buffer 2048", "explain deoxys-ii --message-buffer 0", "explain hctr2 --message-buffer 2048",
        "explain deoxys-ii --message-buffer 2048 --direction decrypt", "explain deoxys-ii --message-buffer 2048 --hold 100",
        "explain gcm-siv --message-buffer 2048 --keys inline",
        "explain gcm --key-schedules 2", "explain gcm --keys inline --key-schedules 3", "explain gcm --keys inline --key-schedules x",
        "explain gcm --keys expanded --key-schedule word",
        "explain gcm --packet aligne", "explain ccm --packet wire", "explain ocb3 --order tag-first",
        "explain ocb3 --order text-first --packet wire", "explain hctr2 --order text-first",
        "explain ocb3 --order text-first --blocks-per-cycle 2", "explain ocb3 --order text-first --channels 2",
        "explain ocb3 --order text-first --interface lwc",
        "explain hctr2 --interface lwc", "explain hctr2 --interface-bits 32", "explain gcm --interface lvc",
        "explain gcm --interface-bits 32",
        "explain gcm --blocks-per-cycle 3", "explain gcm --blocks-per-cycle x", "explain gcm --channels 0", "explain gcm --hold x",
        "explain gcm --sector 512", "explain gcm --direction up", "explain gcm --key-slots 0", "explain gcm --cipher-stages 5",
        "explain gcm --key-bits 100", "explain gcm --mul-arch Karatsubas", "explain gcm --dump graph",
        "explain hctr2 --streams 2", "explain hctr2 --cipher-arch multistream --streams 3",
        "explain xts --cipher-arch multistream --cipher sm4", "explain xts --cipher-arch multistream --cipher-stages 2",
        "explain xts --cipher-arch multistream --cipher-sbox bram", "explain gcm --streams 2",
        "explain gcm --cipher-arch multistream --streams 3", "explain gcm --aes-arch multistream --streams x",
        "explain gcm --cipher-arch multistream --cipher-stages 2", "explain gcm --cipher-arch multistream --cipher-sbox bram",
        "explain gcm --cipher-arch multistream --cipher sm4",
        "explain xts --cipher-arch serial16", "explain xts --cipher-arch serial8 --cipher sm4",
        "explain xts --cipher-arch serial8 --cipher-stages 2", "explain xts --cipher-arch serial32 --cipher-sbox bram",
        "explain gcm --cipher-arch serial32", "explain gcm --cipher-arch serial32 --streams 1",
        "explain gcm --cipher-arch multistream --keys inline --key-schedule iterative",
        "explain gcm --cipher-arch combined", "explain gcm --data-width 16",
        "explain gcm --mul-stages -1", "explain gcm --mul-stages 9",
        "explain hctr2 --dump programs", "explain hctr2 --dump graph,", "explain hctr2 --svg none/x.svg", "explain hctr2 --svg ''",
    ],
    "generator": [
        "generator", "generator ''", "generator plain", "generator plain/library", "generator others", "generator library --jsn",
    ],
    "build": [
        "build hctr2 -o ''", "build hctr2 -o plain/core", "build hctr2 -o others", "build hctr2 -o plain", "build hctr2 -o busy",
        "build hctr2 -o new --name 1x", "build hctr2 -o new --name module", "build hctr2 -o new --name ''",
        "build hctr2 -o new --sector 8193", "build hctr2 -o new --sector 100000000", "build hctr2 -o new --sector 64,8208",
        "build hctr2 -o new --sector 15", "build xts -o new --squares fast", "build hctr2 -o new --optimise 3",
        "build nomode -o new", "build gcm -o others", "build gcm -o plain/core", "build gcm -o new --name module",
        "build gcm -o new --tweak 16", "build gcm -o new --channels 257", "build gcm -o new --hold 0",
        "build gcm -o new --hold 64 --channels 2", "build gcm -o new --keys inline --channels 2",
        "build gcm -o new --packet wire --channels 2", "build gcm -o new --interface lvc", "build gcm -o new --interface-bits 32",
        "build gcm -o new --interface lwc --interface-bits 16", "build gcm -o new --interface lwc --keys inline",
        "build gcm -o new --interface lwc --key-slots 4", "build gcm -o new --lwc-vectors kat",
        "build gcm -o new --hold 64 --direction encrypt", "build gcm -o new --key-slots 1025", "build xts -o new --front buttons",
        "build xts -o new --front registers --register-bus ahb", "build xts -o new --register-bus apb",
        "build xts -o new --front registers --commands words", "build xts -o new --commands registers",
        "build xts -o new --clock data", "build xts -o new --clock tag=clk_a", "build xts -o new --clock registers=clk_a",
        "build xts -o new --clock data=1x", "build xts -o new --clock data=aclk", "build xts -o new --clock data=clk_a --clock data=clk_b",
        "build xts -o new --clock data=wire", "build xts -o new --clock all=always_ff", "build xts -o new --clock command=reg",
        "build xts -o new --reset up", "build gcm -o new --interface lwc --clock all=clk_a",
        "build xts -o new --front registers --register-bus apb --clock key=clk_a",
        "build xts -o new --front registers --commands registers --clock status=clk_a",
        "build xts -o new --ram block",
        "build gcm -o new --front registers --keys inline", "build gcm -o new --front registers --interface lwc",
        "build xts -o new --data-width 48", "build xts -o new --data-width wide", "build gcm -o new --data-width 64 --interface lwc",
    ],
    "model": [
        "model htcr2 --key-file key plain out", "model hctr2 --key-file typo plain out",
        "model hctr2 --key-file typo-of-32 plain out", "model hctr2 --key-file prefixed plain out",
        "model hctr2 --key-file text plain out", "model hctr2 --key-file typo --key-format hex plain out",
        "model hctr2 --key-file key --key-format hex plain out", "model hctr2 --key-file hex --key-format raw plain out",
        "model hctr2 --key-file either --key-format base64 plain out",
        "model hctr2 --key-file odd-digits plain out", "model hctr2 --key-file hex-15 plain out",
        "model hctr2 --key-file hex-8 plain out", "model hctr2 --key-file raw-15 plain out", "model xts --key-file key plain out",
        "model xts --key-file equal plain out", "model hctr2 --key-file empty plain out", "model hctr2 --key-file none plain out",
        "model hctr2 --key-file others plain out", "model hctr2 plain out", "model hctr2 --key-file key plain",
        "model hctr2 --key-file key none out", "model hctr2 --key-file key others out", "model hctr2 --key-file key empty out",
        "model hctr2 --key-file key odd out", "model hctr2 --key-file key plain plain", "model hctr2 --key-file key plain others",
        "model hctr2 --key-file key plain none/out", "model hctr2 --key-file key plain ''",
        "model hctr2 --key-file key --sector 0 plain out", "model hctr2 --key-file key --sector 1000000 plain out",
        "model hctr2 --key-file key --sector x plain out", "model hctr2 --key-file key --tweak -8 plain out",
        "model heh-brw --key-file raw-32 --tweak 8 plain out", "model hctr2 --key-file key --tweak-step 0 plain out",
        "model hctr2 --key-file key --tweak-step -1 plain out", "model hctr2 --key-file key --tweak-base -1 plain out",
        "model hctr2 --key-file key --tweak-base 18446744073709551616 plain out",
        "model hctr2 --key-file key --tweak-base 18446744073709551615 plain out",
        "model hctr2 --key-file key --tweak-base 1 --tweak-step 18446744073709551615 plain out",
        "model hctr2 --cipher SM4 --key-file key plain out", "model hctr2 --cipher sm4 --key-file hex-8 plain out",
        "model hctr2 --key-file key --tweak-base 0x10 plain out", "model hctr2 --key-file key --decrypted plain out",
    ],
    "crypt": [
        "crypt none --key-file key plain out", "crypt plain --key-file key plain out", "crypt broken --key-file key plain out",
        "crypt list --key-file key plain out", "crypt old --key-file key plain out", "crypt lacking --key-file key plain out",
        "crypt core --key-file raw-32 plain out", "crypt core --key-file typo plain out", "crypt core --key-file hex-15 plain out",
        "crypt core --key-file key --key-format hex plain out", "crypt core --key-file key --key-format base64 plain out",
        "crypt core --key-file none plain out", "crypt core plain out", "crypt core --key-file key plain",
        "crypt core --key-file key none out", "crypt core --key-file key empty out", "crypt core --key-file key odd out",
        "crypt core --key-file key plain plain", "crypt core --key-file key plain none/out",
        "crypt core --key-file key plain others", "crypt core --key-file key --sector 65 plain out",
        "crypt core --key-file key --sector -64 plain out", "crypt core --key-file key --tweak-step 0 plain out",
        "crypt core --key-file key --tweak-base -1 plain out",
        "crypt core --key-file key --tweak-base 18446744073709551615 plain out",
        "crypt core --key-file key --optimize 4 plain out", "crypt encrypting --key-file key --decrypt plain out",
        "crypt messages --key-file key plain out",
    ],
    "seal": [
        "seal none --key-file key --nonce 00 plain out", "seal core --key-file key --nonce 00 plain out",
        "seal messages --key-file raw-15 --nonce 00 plain out", "seal messages --key-file none --nonce 00 plain out",
        "seal messages --key-file key --key-format base64 --nonce 00 plain out", "seal messages --key-file key plain out",
        "seal messages --nonce 00 plain out", "seal messages --key-file key --nonce 0 plain out",
        "seal messages --key-file key --nonce '' plain out", "seal messages --key-file key --nonce 0x00 plain out",
        "seal messages --key-file key --nonce 0011223344556677889900112233445566 plain out",
        "seal messages --key-file key --nonce 00 --ad none plain out", "seal messages --key-file key --nonce 00 --ad others plain out",
        "seal messages --key-file key --nonce 00 --tag-bytes 5 plain out",
        "seal messages --key-file key --nonce 00 --tag-bytes x plain out",
        "seal messages --key-file key --nonce 00 none out", "seal messages --key-file key --nonce 00 others out",
        "seal messages --key-file key --nonce 00 plain plain", "seal messages --key-file key --nonce 00 plain key",
        "seal messages --key-file key --nonce 00 --ad empty plain empty", "seal messages --key-file key --nonce 00 plain none/out",
        "seal messages --key-file key --nonce 00 plain others", "seal messages --key-file key --nonce 00 --optimize 4 plain out",
        "seal messages --key-file key --nonce 00 plain",
    ],
    "open": [
        "open core --key-file key --nonce 00 plain out", "open sealing --key-file key --nonce 00 plain out",
        "open messages --key-file key --nonce 00 empty out", "open messages --key-file raw-15 --nonce 00 plain out",
        "open messages --key-file key --key-format base64 --nonce 00 plain out", "open messages --key-file key --nonce xx plain out",
        "open messages --key-file key --nonce 00 --ad none plain out", "open messages --key-file key --nonce 00 --tag-bytes 0 plain out",
        "open messages --key-file key --nonce 00 --optimize 4 plain out", "open messages --key-file key --nonce 00 plain others",
    ],
    "traffic": [
        "traffic none --mix 64", "traffic core --mix 64", "traffic messages", "traffic messages --mix gcm2007",
        "traffic messages --mix empty",
        "traffic messages --mix key", "traffic messages --mix text", "traffic messages --mix others", "traffic messages --mix three",
        "traffic messages --mix shares", "traffic messages --mix 64 --packets 0", "traffic messages --mix 64 --packets x",
        "traffic messages --mix 64 --ad-bytes -1", "traffic messages --mix 64 --slots 4", "traffic messages --mix 64 --slots 0",
        "traffic messages --mix 64 --seed x", "traffic messages --mix 64 --optimize 4",
    ],
    "verify": [
        "verify none", "verify plain", "verify broken", "verify list", "verify old", "verify lacking", "verify core --sectors 0",
        "verify core --sectors -1", "verify core --seed x", "verify core --optimize 4", "verify", "verify core extra",
    ],
    "datasheet": [
        "datasheet none", "datasheet plain", "datasheet broken", "datasheet list", "datasheet old", "datasheet lacking", "datasheet",
        "datasheet core extra",
    ],
    "synth": [
        "synth none --target ecp5", "synth plain --target ecp5", "synth broken --target ecp5", "synth list --target ecp5",
        "synth old --target ecp5", "synth lacking --target ecp5", "synth core", "synth core --target ECP6",
        "synth core --target xc77", "synth core --target liberty:none.lib", "synth core --target liberty:",
        "synth core --target liberty:others", "synth core --target liberty:text.lib", "synth core --target liberty:binary.lib",
        "synth core --target liberty:area.lib", "synth core --target liberty:gates.lib", "synth core --target 'liberty:a b.lib'",
        "synth core --target ecp5 --pnr --freq -1", "synth core --target ecp5 --pnr --freq 0",
        "synth core --target ecp5 --pnr --freq nan", "synth core --target ecp5 --pnr --freq inf",
        "synth core --target ecp5 --pnr --freq fast", "synth core --target ecp5 --freq 100", "synth core --target ecp5 --pnr",
        "synth core --target xc7 --pnr", "synth core --target ecp5 --pnr --placer Heaps", "synth core --target ecp5 --placer heap",
        "synth core --target ecp5 --pnr --router router3", "synth core --target ecp5 --router router2",
        "synth core --target ecp5 --pnr --timing-weight 0", "synth core --target ecp5 --timing-weight 10",
        "synth core --target ecp5 --pnr --placer static --timing-weight 10", "synth core --target xc7 --no-wide-multiplexers",
    ],
    "circuit": [
        "circuit", "circuit Karatsubb", "circuit karatsuba extra", "circuit karatsuba --stages x", "circuit karatsuba --stages -1",
        "circuit karatsuba --slots 2", "circuit aes-round --direction up", "circuit karatsuba --target XC8",
        "circuit karatsuba --target liberty:none.lib", "circuit karatsuba --target liberty:text.lib",
        "circuit karatsuba --target ecp5 --mapper abc8", "circuit karatsuba --target gates --mapper compact",
        "circuit karatsuba --pnr", "circuit karatsuba --target xc7 --pnr", "circuit karatsuba --target ecp5 --pnr",
        "circuit karatsuba --target ecp5 --freq 100", "circuit karatsuba --target ecp5 --pnr --freq -5",
        "circuit karatsuba --target ecp5 --pnr --placer Heaps", "circuit karatsuba --target ecp5 --placer heap",
        "circuit karatsuba --target ecp5 --pnr --router router3", "circuit karatsuba --target ecp5 --router router2",
        "circuit karatsuba --target ecp5 --pnr --timing-weight 0", "circuit karatsuba --target ecp5 --timing-weight 10",
        "circuit karatsuba --target ecp5 --pnr --placer static --timing-weight 10",
        "circuit karatsuba --target ecp5 --pnr --freq nan", "circuit karatsuba -o none/x.v", "circuit karatsuba -o 1.v",
        "circuit karatsuba -o others", "circuit karatsuba -o ''",
    ],
    "papers": [
        "papers TES2010-22", "papers brw2013-3 nosuch", "papers --jsn",
    ],
    "vectors": [
        "vectors", "vectors gcm", "vectors gcm none", "vectors gcm key", "vectors gcm empty", "vectors gcm key key --response r.json",
        "vectors gcm key --expected none", "vectors gmc key", "vectors gcm key --optimize 4", "vectors gcm key --jsn",
        "vectors gcm key --cipher des", "vectors gcm key --json --response r.json",
    ],
    "aead": [
        "aead --target xc6", "aead --add hctr2", "aead --add nosuch.py:Mode", "aead --add", "aead gcm",
    ],
    "compare": [
        "compare", "compare hctr3", "compare xts --channels 2", "compare xts --sector 16,x", "compare xts --sector 0",
        "compare xts --mul 1,1",
        "compare xts --mul 1,,2", "compare xts --mul two", "compare xts --sectors 16", "compare xts --target xc9", "compare xts --synth",
        "compare xts --results none/a.sqlite", "compare xts --results grid.toml", "compare xts --jobs 0", "compare xts --svg none/a.svg",
        "compare xts --csv core", "compare xts --latex none/a.tex",
    ],
    "choose": [
        "choose", "choose xts", "choose xts --rate 1G", "choose xts --clock 1M", "choose hctr3 --rate 1G --clock 1M",
        "choose xts --rate 1g --clock 1M", "choose xts --rate 1G --clock 0", "choose xts --rate 1G --clock 1M --aes 2",
        "choose xts --rate 1G --clock 1M --sector 16,32", "choose xts --rate 1G --clock 1M --target xc9",
        "choose xts --rate 1000G --clock 1M", "choose gcm --rate 1G --clock 1M --sector 1.5",
        "choose xts --rate 1G --clock 250M --sector 8",
        "choose xts --rate 1G --clock 250M --channels 2",
    ],
    "sweep": [
        "sweep", "sweep none.toml", "sweep core", "sweep odd", "sweep text", "sweep bad.toml",
        "sweep grid.toml extra", "sweep grid.toml --jobs 0",
        "sweep grid.toml --jobs two", "sweep grid.toml --results none/a.sqlite", "sweep grid.toml --results core",
        "sweep grid.toml --results grid.toml", "sweep grid.toml --csv none/a.csv", "sweep grid.toml --latex core",
        "sweep grid.toml --latex grid.toml", "sweep grid.toml --scheduler 127.0.0.1:x", "sweep grid.toml --scheduler here",
        "sweep grid.toml --jobs 2 --scheduler tcp://127.0.0.1:1",
    ],
    "explore": [
        "explore", "explore none.sqlite -o a.html", "explore core -o a.html", "explore grid.toml", "explore grid.toml -o a.html",
        "explore empty -o a.html", "explore grid.toml -o none/a.html", "explore grid.toml -o grid.toml", "explore grid.toml -o core",
        "explore grid.toml extra -o a.html", "explore grid.toml -o a.html --titel x", "explore none.sqlite -o a.html --title x",
    ],
}  # fmt: skip

TINY = {"sector": 64, "cipher_arch": "sequential", "cipher_stages": 1, "restarts": 0, "prove": False}

LIBRARY = """library (x) {{
{cells}}}
"""
GATE = '  cell (INV) { area : 1; pin (A) { direction : input; } pin (Y) { direction : output; function : "!A"; } }\n'


@pytest.fixture(scope="module")
def cores(tmp_path_factory):
    """Folders of cores.  Their Verilog is an empty module, as nothing here reads it."""
    path = tmp_path_factory.mktemp("cores")
    sector = built.compiled("hctr2", **TINY), built.compiled("hctr2", **{**TINY, "direction": "encrypt"})
    message = streamed.compiled(**streamed.SMALL), streamed.compiled(prove=False, **streamed.TINY, direction="encrypt")
    with built.hollow():
        for name, core in zip(("core", "encrypting", "messages", "sealing"), [*map(SectorCore, sector), *map(StreamCore, message)]):
            emit(core, path / name, command=built.COMMAND)
    return path


@pytest.fixture
def inputs(folder, cores):
    """Keys, files, libraries and cores, good and bad."""
    for name, data in {
        "key": bytes(range(16)), "raw-15": bytes(range(15)), "raw-32": bytes(range(32)), "equal": bytes(32), "empty": b"",
        "plain": bytes(1024), "odd": bytes(1000), "hex": b"00112233445566778899aabbccddeeff\n", "hex-8": b"0011223344556677",
        "either": b"00112233445566778899aabbccddeeff", "typo": b"00112233445566778899aabbccddeeog\n",
        "typo-of-32": b"00112233445566778899aabbccddeeog", "prefixed": b"0x00112233445566778899aabbccddeeff",
        "text": b"correct horse ba", "hex-15": b"00" * 15 + b"\n", "odd-digits": b"0" * 33, "text.lib": b"no library",
        "binary.lib": bytes(range(256)), "area.lib": LIBRARY.format(cells="  cell (A) { area : 1; }\n").encode(),
        "three": b"# bytes, share, associated\n64 1 8\n40 2 41\n", "shares": b"64 0\n",
        "gates.lib": LIBRARY.format(cells=GATE).encode(), "a b.lib": LIBRARY.format(cells=GATE).encode(),
        "grid.toml": b'[[grid]]\nmodes = ["xts"]\n', "bad.toml": b'[[grid]]\nmodes = ["xts"]\nsectors = 512\n',
    }.items():  # fmt: skip
        (folder / name).write_bytes(data)
    (folder / "others").mkdir()
    (folder / "others" / "thesis.tex").write_bytes(b"the only copy")
    for name, text in {"broken": '{"schema": [', "list": "[]", "old": '{"sizes": [{"sector_bytes": 512}]}'}.items():
        (folder / name).mkdir()
        (folder / name / "core.json").write_text(text)
    for core in cores.iterdir():
        shutil.copytree(core, folder / core.name)
    shutil.copytree(folder / "core", folder / "lacking")
    for path in (folder / "lacking").glob("*.v"):
        path.unlink()
    return folder


@pytest.fixture
def nothing_runs(monkeypatch):
    """What takes long raises, and there is no nextpnr."""

    def ran(*arguments, **options):
        raise AssertionError("this is refused before it runs")

    for module, name in (
        (passes, "trace_definition"), (streams, "plan_stream"), (driven, "verilog_to_rtlil"),
        (measure, "verilog_to_rtlil"), (measure, "synthesize"),
        (circuits, "synthesize"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, ran)
    monkeypatch.setattr(nextpnr.shutil, "which", lambda name: None)
    monkeypatch.setattr(nextpnr.util, "find_spec", lambda name: None)


def contents(folder):
    """Every file with its bytes."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("command", CASES)
def test_one_line_and_status_2(run, inputs, nothing_runs, expected, command):
    text = ""
    with building("busy"):
        before = contents(inputs)
        for case in CASES[command]:
            result = run(*shlex.split(case))
            assert (result.status, result.out) == (2, ""), (case, result)
            assert re.fullmatch(r"modeloom: .+\n", result.err), (case, result.err)
            assert str(inputs) not in result.err.replace(f"{inputs}/a b.lib", ""), case
            assert contents(inputs) == before, case
            text += f"$ modeloom {case}\n{result.err.replace(str(inputs), 'FOLDER')}"
    assert {path.name for path in inputs.iterdir()} == {path.name for path in before if path.parent == inputs} - {".busy.modeloom-lock"}
    expected(f"wrong_{command}.txt", text)


def test_every_argument_of_every_command_is_in_the_table():
    """But for flags and the options of the circuits, which one function checks; build, compare and choose have the options of explain."""
    for name, command in cli.commands.items():
        cases = CASES[name] + (CASES["explain"] if name in ("build", "compare", "choose") else [])
        words = {word.partition("=")[0] for case in cases for word in shlex.split(case)}
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.is_flag:
                assert words.intersection(parameter.opts), (name, parameter.opts)


def test_unknown_names_are_three_at_most():
    for path in sorted((Path(__file__).parent / "expected").glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert line.partition("did you mean")[2].count(" or ") <= 2, (path.name, line)
