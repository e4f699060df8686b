# SPDX-License-Identifier: Apache-2.0
"""Wrong usage: exit status 2, one line on standard error, no file left behind.  The lines stand in ``expected/``."""

import json
import re
import shlex

import pytest
from tests.product.descriptions import sector_description

CASES = {
    "no_command": "",
    "unknown_command": "explian hctr2",
    "unknown_option": "explain hctr2 --sectr 512",
    "not_a_number": "explain hctr2 --sector large",
    "missing_argument": "explain",
    "unknown_mode": "explain htcr2",
    "unknown_mode_far": "explain zzz",
    "unknown_preset": "explain hctr2 --preset brw2013",
    "unknown_direction": "explain hctr2 --direction encrypted",
    "unknown_dump": "explain hctr2 --dump graph,shedule",
    "unknown_multiplier": "explain hctr2 --mul-arch karatsubi",
    "unknown_squares": "explain heh-brw --squares setups",
    "unknown_architecture": "explain hctr2 --cipher-arch pipeline",
    "unknown_target": "synth core --target xc8",
    "unknown_placer": "synth core --target ecp5 --pnr --placer heaps",
    "placer_without_pnr": "synth core --target ecp5 --placer static",
    "timing_weight_of_static": "synth core --target ecp5 --pnr --placer static --timing-weight 10",
    "unknown_router": "synth core --target ecp5 --pnr --router router3",
    "timing_weight_none": "synth core --target ecp5 --pnr --timing-weight 0",
    "timing_weight_without_pnr": "synth core --target ecp5 --timing-weight 10",
    "freq_without_pnr": "synth core --target ecp5 --freq 100",
    "router_without_pnr": "synth core --target ecp5 --router router2",
    "sector_too_short": "explain hctr2 --sector 15",
    "sector_negative": "explain hctr2 --sector -1",
    "sector_not_whole_blocks": "explain heh-brw --sector 520",
    "tweak_size": "explain hctr2 --tweak 20",
    "key_bits": "explain hctr2 --key-bits 129",
    "terms": "explain hctr2 --terms 1",
    "multipliers": "explain hctr2 --mul 0",
    "lanes": "explain hctr2 --lanes 3",
    "lanes_of_cores": "explain hctr2 --cipher-cores 3",
    "svg_no_folder": "explain hctr2 --svg none/chart.svg",
    "svg_is_folder": "explain hctr2 --svg core",
    "build_no_output": "build hctr2",
    "build_not_whole_blocks": "build heh-brw --sector 520 -o new",
    "build_one_block": "build heh-brw --sector 16 -o new",
    "build_too_many_blocks": "build hctr2 --sector 8193 -o new",
    "build_output_is_others": "build hctr2 -o others",
    "build_output_is_file": "build hctr2 -o plain",
    "crypt_no_core": "crypt none --key-file key plain cipher",
    "crypt_not_whole_sectors": "crypt core --key-file key odd cipher",
    "verify_no_core": "verify none",
    "model_no_key_option": "model hctr2 plain cipher",
    "model_no_key_file": "model hctr2 --key-file none plain cipher",
    "model_key_length": "model hctr2 --key-file short plain cipher",
    "model_key_length_of_two_parts": "model heh-brw --key-file key plain cipher",
    "model_key_empty": "model hctr2 --key-file empty plain cipher",
    "model_key_odd_digits": "model hctr2 --key-file odddigits plain cipher",
    "model_no_input": "model hctr2 --key-file key none cipher",
    "model_empty_input": "model hctr2 --key-file key empty cipher",
    "model_not_whole_sectors": "model hctr2 --key-file key odd cipher",
    "model_not_whole_blocks": "model heh-brw --key-file key --sector 520 plain cipher",
    "model_sector_too_short": "model hctr2 --key-file key --sector 8 plain cipher",
    "model_no_output_folder": "model hctr2 --key-file key plain none/cipher",
    "model_output_is_folder": "model hctr2 --key-file key plain core",
    "model_output_is_input": "model hctr2 --key-file key plain plain",
    "model_tweak_base": "model hctr2 --key-file key --tweak-base -1 plain cipher",
    "model_tweak_step": "model hctr2 --key-file key --tweak-step 18446744073709551616 plain cipher",
    "model_tweak_short": "model hctr2 --key-file key --tweak 7 plain cipher",
}


@pytest.fixture
def files(folder):
    """Keys and inputs, good and bad, and a folder that says it is a core."""
    (folder / "key").write_bytes(bytes(range(16)))
    (folder / "short").write_bytes(bytes(range(15)))
    (folder / "odddigits").write_text("0" * 33)
    (folder / "empty").write_bytes(b"")
    (folder / "plain").write_bytes(bytes(1024))
    (folder / "odd").write_bytes(bytes(1000))
    (folder / "others").mkdir()
    (folder / "others" / "thesis.tex").write_bytes(b"the only copy")
    (folder / "core").mkdir()
    (folder / "core" / "core.json").write_text(json.dumps(sector_description().as_json()))


def contents(folder):
    """Every file with its bytes."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("case", CASES)
def test_error(run, files, folder, expected, case):
    """Wrong input gives exit status 2 and one line on stderr, and changes no file."""
    before = contents(folder)
    result = run(*shlex.split(CASES[case]))
    assert result.status == 2
    assert not result.out
    assert re.fullmatch(r"modeloom: .+\n", result.err)
    assert str(folder) not in result.err
    assert contents(folder) == before
    expected(f"{case}.txt", f"$ modeloom {CASES[case]}".rstrip() + f"\n{result.err}")


def test_every_golden_file_has_a_case():
    from pathlib import Path

    names = {path.stem for path in (Path(__file__).parent / "expected").glob("*.txt")}
    assert {name for name in names if not name.startswith(("explain_", "synth_", "wrong_"))} == set(CASES)
