# SPDX-License-Identifier: Apache-2.0
"""A core with registers for each kind of core, which the tests of this folder read and leave as they are."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from tests.built import RUN_FOLDER
from tests.cores.front.cores import message_core, sector_core

from modeloom.cores.front import clock_options, front_of
from modeloom.emit import emit, files
from modeloom.emit.files import core_rtlil

Make = Callable[..., Path]


@lru_cache
def inner(mode: str, top: str) -> str:
    """The core inside, which is the same whatever is around it."""
    return core_rtlil(sector_core() if mode == "xts" else message_core(), top)


@pytest.fixture(scope="session")
def made() -> Make:
    """Writes a core with a front end into a folder of its own, once for all processes of a run."""

    def make(name: str, core: Any, options: str, *front: Any, **named: Any) -> Path:
        run, mode = Path(os.environ[RUN_FOLDER]), name.partition("_")[0]
        path = run / f"core-front-{name}"
        with (run / f"core-front-{name}.lock").open("w") as lock, pytest.MonkeyPatch.context() as patch:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.is_dir():
                patch.setattr(files, "core_rtlil", lambda core, top: inner(mode, top))
                emit(core, path, command=f"modeloom build {mode} {options}", front=front_of(*front, **named))
        return path

    return make


@pytest.fixture(scope="session")
def sectors(made: Make) -> Path:
    """A core for sectors with registers."""
    return made("xts", sector_core(), "--front registers", "registers")


@pytest.fixture(scope="session")
def messages(made: Make) -> Path:
    """A core for messages with registers."""
    return made("ccm", message_core(), "--front registers", "registers")


@pytest.fixture(scope="session")
def apb_sectors(made: Make) -> Path:
    """A core for sectors with registers behind APB."""
    return made("xts_apb", sector_core(), "--front registers", "registers", bus="apb")


@pytest.fixture(scope="session")
def wide_sectors(made: Make) -> Path:
    """A core for sectors with registers and data streams of 512 bits."""
    return made("xts_wide", sector_core(), "--front registers --data-width 512", "registers", 512)


@pytest.fixture(scope="session")
def narrow_messages(made: Make) -> Path:
    """A core for messages with data streams of 32 bits."""
    return made("ccm_narrow", message_core(), "--data-width 32", None, 32)


@pytest.fixture(scope="session")
def clocked_sectors(made: Make) -> Path:
    """A core for sectors with two clocks of the host, and a reset that comes at any time."""
    clocks = clock_options(("data=clk_data", "command,status,key=clk_host"), "async-high")
    return made("xts_clocked", sector_core(), "--clock data=clk_data", None, None, clocks)


@pytest.fixture(scope="session")
def clocked_apb(made: Make) -> Path:
    """A core for sectors with registers behind APB and data in clocks of their own, and a reset that comes at any time."""
    clocks = clock_options(("registers=clk_host", "data=clk_data"), "async-low")
    options = "--front registers --register-bus apb --clock registers=clk_host,data=clk_data --reset async-low"
    return made("xts_clocked_apb", sector_core(), options, "registers", None, clocks, bus="apb")


@pytest.fixture(scope="session")
def command_sectors(made: Make) -> Path:
    """A core for sectors with commands over registers."""
    return made("xts_commands", sector_core(), "--front registers", "registers", commands="registers")


@pytest.fixture(scope="session")
def clocked_messages(made: Make) -> Path:
    """A core for messages with registers, data streams of 32 bits, and one clock of the host."""
    clocks = clock_options(("all=clk_host",), None)
    return made("ccm_clocked", message_core(), "--clock all=clk_host", "registers", 32, clocks)


@pytest.fixture(scope="session")
def clocked_commands(made: Make) -> Path:
    """A core for messages with commands over registers, which have a clock of their own, and so have data."""
    clocks = clock_options(("registers=clk_host", "data=clk_data"), None)
    options = "--front registers --commands registers --clock registers=clk_host,data=clk_data"
    return made("ccm_clocked_commands", message_core(), options, "registers", None, clocks, commands="registers")


@pytest.fixture(scope="session")
def command_messages(made: Make) -> Path:
    """A core for messages with commands over registers, behind APB."""
    options = "--front registers --register-bus apb --commands registers"
    return made("ccm_commands", message_core(), options, "registers", bus="apb", commands="registers")
