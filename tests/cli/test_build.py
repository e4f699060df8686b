# SPDX-License-Identifier: Apache-2.0
"""What ``modeloom build`` says of a core."""

import pytest

MODE = '''
from modeloom.spec import Keys, Mode


class Whitened(Mode):
    name = "whitened"
    title = "Whitened"
    source = "tests"
    security = "none"
    min_bytes = 16

    def setup(self, o, key):
        return Keys()

    def encrypt(self, o, k, t, p):
        return [o.enc(x ^ o.head({tweak}, 12)) for x in p]

    def decrypt(self, o, k, t, c):
        return [o.dec(x) ^ o.head(t[0], 12) for x in c]
'''


@pytest.mark.parametrize("tweak, said", [("t[0]", False), ("o.add32(t[0], 1)", True)], ids=["proved", "tested"])
def test_a_tested_inverse_is_not_called_proved(run, folder, tweak, said):
    """A counter leaves the first bytes as they are, which the normal forms do not know."""
    (folder / "mode.py").write_text(MODE.format(tweak=tweak), encoding="utf-8")
    result = run("build", "mode.py:Whitened", "-o", "core", "--sector", "32", "--cipher-arch", "sequential", "--cipher-stages", "1")
    assert result.status == 0, result.err
    assert ("decryption was tested to invert encryption, not proved" in result.out) is said


def test_the_bound_is_that_of_the_cycles(run):
    """One sector at a time takes the latency, and its bound is the latency's."""
    result = run("build", "hctr", "-o", "core", "--sector", "64", "--preset", "tes2010-full")
    assert result.status == 0, result.err
    assert "29 cycles per sector of 64 bytes (bound 29), latency 29, proved" in result.out


ROUND = ("build", "gcm", "-o", "core", "--key-bits", "128", "--cipher-arch", "multistream", "--streams", "1", "--no-timing")
"""A core for messages that is built in little time."""


@pytest.mark.parametrize("interface, good, bad", [("axi", "OK", "WRONG_TAG"), ("lwc", "SUCCESS", "FAILURE")])
def test_the_warning_names_statuses_of_the_interface(run, interface, good, bad):
    result = run(*ROUND, *(["--interface", "lwc"] if interface == "lwc" else []))
    assert result.status == 0 and "1 block every 10 cycles" in result.out and "None" not in result.out, result.err
    assert f"before its status is {good}. Discard it if the status is {bad}." in " ".join(result.err.split())
