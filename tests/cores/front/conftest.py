# SPDX-License-Identifier: Apache-2.0
"""A core with registers for each kind of core, which the tests of this folder read and leave as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cores.front.cores import message_core, sector_core

from modeloom.cores.front import clock_options, front_of
from modeloom.emit import emit


@pytest.fixture(scope="session")
def sectors(tmp_path_factory) -> Path:
    """A core for sectors with registers."""
    path = tmp_path_factory.mktemp("front") / "xts"
    core = sector_core()
    emit(core, path, command="modeloom build xts --front registers", front=front_of("registers"))
    return path


@pytest.fixture(scope="session")
def messages(tmp_path_factory) -> Path:
    """A core for messages with registers."""
    path = tmp_path_factory.mktemp("front") / "ccm"
    core = message_core()
    emit(core, path, command="modeloom build ccm --front registers", front=front_of("registers"))
    return path


@pytest.fixture(scope="session")
def apb_sectors(tmp_path_factory) -> Path:
    """A core for sectors with registers behind APB."""
    path = tmp_path_factory.mktemp("front") / "xts_apb"
    core = sector_core()
    emit(core, path, command="modeloom build xts --front registers", front=front_of("registers", bus="apb"))
    return path


@pytest.fixture(scope="session")
def wide_sectors(tmp_path_factory) -> Path:
    """A core for sectors with registers and data streams of 512 bits."""
    path = tmp_path_factory.mktemp("front") / "xts_wide"
    core = sector_core()
    emit(core, path, command="modeloom build xts --front registers --data-width 512", front=front_of("registers", 512))
    return path


@pytest.fixture(scope="session")
def narrow_messages(tmp_path_factory) -> Path:
    """A core for messages with data streams of 32 bits."""
    path = tmp_path_factory.mktemp("front") / "ccm_narrow"
    core = message_core()
    emit(core, path, command="modeloom build ccm --data-width 32", front=front_of(None, 32))
    return path


@pytest.fixture(scope="session")
def clocked_sectors(tmp_path_factory) -> Path:
    """A core for sectors with two clocks of the host, and a reset that comes at any time."""
    path = tmp_path_factory.mktemp("front") / "xts_clocked"
    core = sector_core()
    clocks = clock_options(("data=clk_data", "command,status,key=clk_host"), "async-high")
    emit(core, path, command="modeloom build xts --clock data=clk_data", front=front_of(None, None, clocks))
    return path


@pytest.fixture(scope="session")
def command_sectors(tmp_path_factory) -> Path:
    """A core for sectors with commands over registers."""
    path = tmp_path_factory.mktemp("front") / "xts_commands"
    core = sector_core()
    emit(core, path, command="modeloom build xts --front registers", front=front_of("registers", commands="registers"))
    return path


@pytest.fixture(scope="session")
def clocked_messages(tmp_path_factory) -> Path:
    """A core for messages with registers, data streams of 32 bits, and one clock of the host."""
    path = tmp_path_factory.mktemp("front") / "ccm_clocked"
    core = message_core()
    clocks = clock_options(("all=clk_host",), None)
    emit(core, path, command="modeloom build ccm --clock all=clk_host", front=front_of("registers", 32, clocks))
    return path


@pytest.fixture(scope="session")
def command_messages(tmp_path_factory) -> Path:
    """A core for messages with commands over registers, behind APB."""
    path = tmp_path_factory.mktemp("front") / "ccm_commands"
    core = message_core()
    command = "modeloom build ccm --front registers --register-bus apb --commands registers"
    emit(core, path, command=command, front=front_of("registers", bus="apb", commands="registers"))
    return path
