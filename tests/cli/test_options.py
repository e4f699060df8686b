# SPDX-License-Identifier: Apache-2.0
"""Command-line values become ``Options``."""

import click
import pytest

from modeloom.cli.build import command_line
from modeloom.cli.options import core_options, tweaks
from modeloom.options.sectors import MOST_BLOCKS, MOST_SLOTS, Options
from modeloom.options.spelled import sector_options
from modeloom.spec import InputError


def parse(*arguments):
    """The options of a command with the unit options."""
    result = []

    @click.command()
    @core_options()
    def command(**values):
        result.append(sector_options(values))

    command.main(list(arguments), standalone_mode=False)
    return result[0]


def test_nothing_given_is_the_default():
    assert parse() == Options()


@pytest.mark.parametrize(
    "arguments, changes",
    [
        ("--sector 4096", {"sector": 4096}),
        ("--tweak 32 --key-bits 256 --direction decrypt", {"tweak": 32, "key_bits": 256, "direction": "decrypt"}),
        ("--cipher-cores 2 --cipher-stages 1 --mul 3 --mul-stages 4", {"cipher_cores": 2, "cipher_stages": 1, "mul": 3, "mul_stages": 4}),
        ("--squares fly", {"squares": "fly"}),
        ("--cipher-arch sequential --cipher-sbox bram", {"cipher_arch": "sequential", "cipher_sbox": "bram"}),
        ("--aes 2 --aes-arch combined --aes-sbox bram --aes-stages 3",
         {"cipher_cores": 2, "cipher_arch": "combined", "cipher_sbox": "bram", "cipher_stages": 3}),
        ("--acc 2", {"acc": 2}),
        ("--storage bram", {"storage": "bram"}),
        ("--lanes 4 --terms 3 --key-slots 8", {"lanes": 4, "terms": 3, "key_slots": 8}),
        ("--no-overlap --exact", {"overlap": False, "exact": True}),
    ],
)
def test_options(arguments, changes):
    assert parse(*arguments.split()) == Options(**changes)


def test_an_option_changes_a_preset():
    options = parse("--preset", "brw2013-2core", "--cipher-cores", "4")
    assert (options.cipher_cores, options.mul, options.registered, options.overlap) == (4, 1, False, False)


def test_sectors_overlap_if_asked_for():
    plain = parse("--preset", "brw2013-1core")
    assert not plain.overlap and parse("--preset", "brw2013-1core", "--overlap") == plain.but(overlap=True)
    with pytest.raises(InputError, match="cannot be combined"):
        parse("--overlap", "--no-overlap")


def test_tweaks_count_as_plain64():
    tweak = tweaks(5, 8, 16, 33)
    assert tweak(0) == bytes([5]) + bytes(15)
    assert tweak(32) == bytes([5, 1]) + bytes(14)
    with pytest.raises(InputError, match="--tweak-base"):
        tweaks(1 << 64, 1, 16, 1)
    last = (1 << 64) - 1
    assert tweaks(last - 8, 8, 16, 2)(1) == bytes([255] * 8) + bytes(8)
    with pytest.raises(InputError, match="sector 2 of 3"):
        tweaks(last - 8, 8, 16, 3)
    for step in (0, -1, 1 << 64):
        with pytest.raises(InputError, match="--tweak-step"):
            tweaks(0, step, 16, 1)


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["build", "hctr2", "-o", "out"], "modeloom build hctr2"),
        (["build", "hctr2", "--output", "out", "--sector", "64"], "modeloom build hctr2 --sector 64"),
        (["build", "hctr2", "-oout", "--name", "a b"], "modeloom build hctr2 --name 'a b'"),
        (["build", "--output=out", "hctr2"], "modeloom build hctr2"),
    ],
)
def test_command_line_leaves_the_folder_out(arguments, text):
    assert command_line(arguments) == text


@pytest.mark.parametrize(
    ("option", "limit", "reason"),
    [("--sector", MOST_BLOCKS, "because twice the blocks"), ("--key-slots", MOST_SLOTS, "because a command has eight bits")],
)
def test_help_has_the_limits_with_their_reasons(option: str, limit: int, reason: str) -> None:
    @click.command()
    @core_options()
    def command(**values: object) -> None:
        """Takes the options."""

    (text,) = (one.help for one in command.params if isinstance(one, click.Option) and option in one.opts)
    assert text is not None and f"at most {limit}" in text and reason in text
