# SPDX-License-Identifier: Apache-2.0
"""What a Python program uses: the names of the package, old ones too."""

import inspect
import subprocess
import sys

import pytest
from tests.built import SMALL, folder

import modeloom


def test_names():
    assert set(modeloom.__all__) == {"AuthenticationError", "__version__", "compile", "core", "model", "simulate"}
    for name in ("compile", "model", "simulate"):
        assert inspect.getdoc(getattr(modeloom, name)), name


def test_options_of_compile():
    by_name = modeloom.compile("xts", "tes2010-full", sector=32)
    assert by_name.options == modeloom.compile("xts", options="tes2010-full", sector=32).options
    assert by_name.options == modeloom.compile("xts", units="tes2010-full", sector=32).options
    assert modeloom.compile("xts", by_name.options, sector=48).source.nbytes == 48


def test_model_and_simulation_agree():
    core = modeloom.simulate(folder("hctr2", **SMALL), optimize=0)
    key, tweak, data = bytes(range(16)), bytes(16), bytes(range(64))
    core.load_key(key)
    assert core.encrypt(tweak, data) == modeloom.model("hctr2", key).encrypt(tweak, data)
    assert modeloom.core is modeloom.simulate


@pytest.mark.parametrize("name", modeloom.__all__)
def test_the_package_loads_nothing_heavy(name):
    code = f"import sys, modeloom; modeloom.{name}; print(*(m for m in ('amaranth', 'numpy', 'pyosys') if m in sys.modules))"
    assert not subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
