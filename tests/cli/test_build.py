# SPDX-License-Identifier: Apache-2.0
"""What ``modeloom build`` says of a core."""

import pytest
from tests.built import hollow
from tests.streams import broken_opens

import modeloom.emit

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
    with hollow():
        result = run("build", "mode.py:Whitened", "-o", "core", "--sector", "32", "--cipher-arch", "sequential", "--cipher-stages", "1")
    assert result.status == 0, result.err
    assert ("decryption was tested to invert encryption, not proved" in result.out) is said


def test_the_bound_is_that_of_the_cycles(run):
    """One sector at a time takes the latency, and its bound is the latency's."""
    with hollow():
        result = run("build", "hctr", "-o", "core", "--sector", "64", "--preset", "tes2010-full")
    assert result.status == 0, result.err
    assert "29 cycles per sector of 64 bytes (bound 29), latency 29, proved" in result.out


ROUND = ("build", "gcm", "-o", "core", "--key-bits", "128", "--cipher-arch", "multistream", "--streams", "1", "--no-timing")
"""A core for messages that is built in little time."""


def test_a_tested_inverse_of_messages_is_not_called_proved(run):
    """Opening doubles a mask where sealing has it doubled already, which the normal forms do not know."""
    with hollow():
        result = run("build", f"{broken_opens.__file__}:TwoThatBelongTogether", *ROUND[2:])
    assert result.status == 0, result.err
    assert "proved; opening was tested to invert sealing, not proved" in result.out


@pytest.mark.parametrize("interface, good, bad", [("axi", "OK", "WRONG_TAG"), ("lwc", "SUCCESS", "FAILURE")])
def test_the_warning_names_statuses_of_the_interface(run, interface, good, bad):
    with hollow():
        result = run(*ROUND, *(["--interface", "lwc"] if interface == "lwc" else []))
    assert result.status == 0 and "1 block every 10 cycles" in result.out and "None" not in result.out, result.err
    assert f"before its status is {good}. Discard it if the status is {bad}." in " ".join(result.err.split())


TINY = ("--key-bits", "128", "--cipher-arch", "multistream", "--streams", "1", "--mul-stages", "0")

MESSAGE_CORES = {
    "slots": (("gcm", *TINY), "latency"),
    "lwc": (("gcm", *TINY, "--interface", "lwc"), "Keys come over SDI, and an instruction on PDI activates each of them."),
    "inline": (("gcm", *TINY, "--keys", "inline"), "A new key costs at most"),
    "pipeline, inline": (("gcm", "--key-bits", "128", "--keys", "inline"), "A new key costs at most"),
    "derived": (("gcm-siv", "--key-bits", "128", "--keys", "derived"), "In the mean, a message takes at least"),
    "stored": (("deoxys-ii", "--message-buffer", "256"), "The core stores messages to seal up to"),
    "held": (("gcm", *TINY, "--hold", "256"), "latency"),
    "lengths first": (("ccm", *TINY), "latency"),
    "lengths first, lwc": (("ccm", *TINY, "--interface", "lwc"), "Keys come over SDI"),
    "expanded": (("gcm", "--key-bits", "128", "--keys", "expanded"), "latency"),
    "channels": (("gcm", "--key-bits", "128", "--channels", "4"), "latency"),
}
"""Options of cores for messages, and a part of what is printed of them."""


@pytest.mark.parametrize("kind", MESSAGE_CORES)
def test_what_is_printed_of_a_core_for_messages(run, monkeypatch, kind):
    """Each figure is a number.  Keys over SDI have no distance that the core promises."""
    monkeypatch.setattr(modeloom.emit, "emit", lambda core, directory, **options: core.describe("core", "modeloom"))
    options, words = MESSAGE_CORES[kind]
    result = run("build", *options, "--no-timing", "-o", "core")
    assert result.status == 0, result.err
    assert words in result.out and "None" not in result.out + result.err
    assert ("Keys come with messages" in result.out) is ("inline" in options)
