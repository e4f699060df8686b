# SPDX-License-Identifier: Apache-2.0
"""One cache of built simulations for the run, so that tests neither use nor leave anything in the user's."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def simulation_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        directory = tmp_path_factory.mktemp("simulation-cache")
        patch.setenv("MODELOOM_CACHE", str(directory))
        yield directory
