# SPDX-License-Identifier: Apache-2.0
"""Steps as they are traced and lowered, and one clear line for each that a core cannot do."""

import pytest
from tests.streams.modes import NoHash, Padded, WideAEAD

from modeloom.modes.gcm import GCM
from modeloom.spec import DefinitionError, InputError, Keys
from modeloom.spec.stream import State, StreamMode
from modeloom.streams.plan import plan_stream
from modeloom.streams.rewrite import move_to_tag
from modeloom.streams.steps import recurrences, steps_of
from modeloom.streams.trace import trace_stream

LATENCIES = {"cipher": 11, "mul": 5}


def lowered(mode):
    trace = trace_stream(mode(), 32 if mode is WideAEAD else 16)
    steps = steps_of(trace)
    return trace, steps, recurrences(mode.name, steps, trace.state)


def test_gcm():
    _, steps, kinds = lowered(GCM)
    assert {name: kind.kind for name, kind in kinds.items()} == {"y": "horner", "counter": "counter", "mask": "held"}
    assert {step.title: dict(step.uses()) for step in steps} == {
        "start": {"enc": 1}, "start 1": {"mul": 2, "enc": 1}, "associated": {"mul": 1}, "encrypt": {"add": 1, "enc": 1, "mul": 1},
        "decrypt": {"add": 1, "enc": 1, "mul": 1}, "tag": {"mul": 1},
    }  # fmt: skip
    moved = {step.title: dict(step.uses()) for step in move_to_tag(steps, kinds)}
    assert moved["start"] == {} and moved["start 1"] == {"mul": 2} and moved["tag"] == {"enc": 1, "mul": 1}


def test_other_modes():
    _, _, kinds = lowered(WideAEAD)
    assert {name: kind.kind for name, kind in kinds.items()} == {"y": "horner", "counter": "counter", "sum": "wires", "offset": "wires"}
    _, _, kinds = lowered(NoHash)
    assert {name: kind.kind for name, kind in kinds.items()} == {"counter": "counter", "sum": "wires", "mask": "held"}


def test_stages():
    """The hash stands behind the cipher; what is only held lives where it is needed."""
    placed = plan_stream(GCM(), 16, LATENCIES).placed
    assert placed.stages == {"cipher": 0, "mul": 11} and placed.outputs == {"encrypt": 11, "decrypt": 11, "tag": 16}
    assert placed.homes == {"y": 11, "counter": 0, "mask": 0} and placed.depth == 17
    assert placed.ahead == {"start": 0, "start 1": 22}
    wide = plan_stream(WideAEAD(), 32, LATENCIES).placed
    assert [part.at for part in wide.passes["tag"]] == [0, 16]


class Plain(StreamMode):
    """A definition with nothing in it that is wrong."""

    name = "plain"
    title = source = security = "for tests"
    nonce_bytes = ((12,), (8, 16))

    def setup(self, o, key):
        return Keys(h=o.enc(o.const(0)))

    def start(self, o, k, nonce):
        return State(y=o.const(0), counter=nonce.block)

    def associated(self, o, k, s, a):
        return s.replace(y=o.mul(s.y ^ a, k.h))

    def encrypt(self, o, k, s, p):
        return s, o.cut(p ^ o.enc(s.counter), p)

    decrypt = encrypt

    def tag(self, o, k, s, n):
        return s.counter


def hash_alone(self, o, k, s, n):
    return s.y


def hash_in_text(self, o, k, s, p):
    return s, s.y ^ p


def inverse_cipher_of_key(self, o, key):
    return Keys(h=o.dec(o.const(0)))


def branch_on_length(self, o, k, s, n):
    return s.y if n.text else o.const(0)


def add_to_length(self, o, k, s, n):
    return o.bit_lengths(n.text + 1, 0)


def compare_inside_a_class(self, o, k, nonce):
    return State(y=o.const(0 if nonce.nbytes == 8 else 1), counter=nonce.block)


def other_state(self, o, k, nonce):
    return State(y=o.const(0)) if nonce.nbytes == 12 else State(y=o.const(0), counter=nonce.block)


def no_state(self, o, k, nonce):
    return o.const(0)


def unknown_state(self, o, k, s, a):
    return s.replace(z=a)


def reads_unknown_state(self, o, k, s, a):
    return s.replace(y=s.z)


def number_as_state(self, o, k, s, a):
    return s.replace(y=7)


def no_block(self, o, k, s, p):
    return s


def cut_of_state(self, o, k, s, p):
    return s, o.cut(p, s.y)


def square_chain(self, o, k, s, a):
    return s.replace(y=o.mul(s.y, s.y))


def two_ways(self, o, k, s, p):
    return s.replace(y=s.y ^ p), p


def circle(self, o, k, s, p):
    return s.replace(y=o.mul(s.y ^ o.enc(o.mul(p, k.h)), k.h)), o.cut(o.mul(o.enc(p), k.h), p)


def pad_of_state(self, o, k, s, a):
    return s.replace(y=o.mul(o.pad10(s.y ^ a, s.y), k.h))


def twice_enciphered(self, o, k, s, p):
    return s, o.cut(p ^ o.enc(s.counter) ^ o.enc(s.counter ^ o.const(1)), p)


def not_hashed(self, o, k, s, a):
    return s.replace(counter=s.counter ^ a)


def key_in_start(self, o, k, nonce):
    return State(y=o.const(0), counter=nonce.block ^ k.h)


def key_before_cipher(self, o, k, s, p):
    return s, o.cut(p ^ o.enc(s.counter ^ k.h), p)


def hash_of_nonce(self, o, k, nonce):
    return State(y=nonce.block, counter=nonce.block)


def test_key_values_at_the_entry():
    """A unit that reads a key word stands behind the first stage, in which the word is read."""
    masked = type("Masked", (Plain,), {"encrypt": key_before_cipher, "decrypt": key_before_cipher})
    assert plan_stream(Plain(), 16, LATENCIES).placed.stages == {"cipher": 0, "mul": 1}
    assert plan_stream(masked(), 16, LATENCIES).placed.stages == {"cipher": 1, "mul": 1}


def test_marks_stand_only_where_blocks_may_be_partial():
    """Each step of a mode with steps for partial blocks knows whether its block is whole."""
    marks = {step.name for step in trace_stream(Padded(), 16).steps if any(t.source.kind == "mark" for t in _terms(Padded, step.name))}
    assert marks == {"partial_associated", "partial_encrypt", "partial_decrypt"}
    assert Padded.block_steps() == (
        "associated", "partial_associated", "encrypt", "partial_encrypt", "decrypt", "partial_decrypt",
    )  # fmt: skip
    assert GCM.block_steps() == ("associated", "encrypt", "decrypt")
    padded = type("Own", (Plain,), {"associated": lambda self, o, k, s, a: s.replace(y=o.mul(s.y ^ o.pad10(a, a), k.h))})
    assert any(t.source.kind == "mark" for t in _terms(padded, "associated"))


def _terms(mode, name):
    """The terms of a step."""
    _, steps, _ = lowered(mode)
    return [term for step in steps if step.name == name for form in step.forms() for term in form]


def test_counters_of_partial_blocks_in_lanes():
    """A lane adds as much as those before it together, so a partial block adds as much as a whole one."""

    def step(self, o, k, s, p):
        counter = o.add32(s.counter, 2)
        return s.replace(counter=counter), o.cut(p ^ o.enc(counter), p)

    counting = {name: lambda self, o, k, s, p: step(self, o, k, s, p) for name in ("encrypt", "decrypt")}
    other = type("Other", (Plain,), {**counting, "partial_encrypt": lambda self, o, k, s, p: (
        s.replace(counter=o.add32(s.counter, 1)), o.cut(p ^ o.enc(o.add32(s.counter, 1)), p))})  # fmt: skip
    plan_stream(other(), 16, LATENCIES)
    with pytest.raises(InputError, match=r"partial_encrypt\(\) adds another number to a counter than encrypt\(\)"):
        plan_stream(other(), 16, LATENCIES, 2)


@pytest.mark.parametrize(
    ("step", "function", "message"),
    [
        ("tag", branch_on_length, "the bytes of text are known when a message comes"),
        ("tag", add_to_length, "the bytes of text are known when a message comes"),
        ("start", compare_inside_a_class, "compares those of a nonce with what divides its classes"),
        ("start", other_state, r"start\(\) writes y, counter for some nonces, and y for others"),
        ("start", no_state, r"start\(\) returns a Value, not State"),
        ("associated", unknown_state, "a step writes 'z' to the state, which start never wrote"),
        ("associated", reads_unknown_state, "reads 'z' of the state, which start never wrote"),
        ("associated", number_as_state, "the state y is 7, which is no block"),
        ("encrypt", no_block, r"encrypt\(\) returns a State, not \(the state, a block\)"),
        ("encrypt", cut_of_state, "takes the text of encrypt or decrypt as its second operand"),
        ("associated", square_chain, "the state y goes through operations in a way that no pipeline keeps up with"),
        ("encrypt", two_ways, "the state y goes on in different ways in different steps: horner and wires"),
        ("associated", pad_of_state, r"o\.pad10\(block, p\) takes the block of the step as its second operand"),
        ("partial_encrypt", twice_enciphered, r"as many tokens as a whole one, not 1 of encrypt\(\) and 2 of partial_encrypt\(\)"),
        ("partial_associated", not_hashed, r"the hash takes whole blocks and partial ones of associated\(\), or neither of them"),
        ("start", key_in_start, r"start\(\) adds a key value to the state counter"),
        ("start", hash_of_nonce, r"start\(\) gives the hash y a value; let it begin with 0"),
        ("tag", hash_alone, r"tag\(\) reads the hash y without a product"),
        ("encrypt", hash_in_text, r"encrypt\(\) reads the hash y without a product"),
        ("setup", inverse_cipher_of_key, r"setup\(\) uses o.dec\(\), for which the pipeline of a stream mode has no unit"),
        ("encrypt", circle, "the operations of a block wait for each other in a circle"),
    ],
)
def test_wrong_steps(step, function, message):
    plan_stream(Plain(), 16, LATENCIES)
    wrong = type("Wrong", (Plain,), {step: function})
    with pytest.raises(DefinitionError, match=message) as error:
        plan_stream(wrong(), 16, LATENCIES)
    assert "\n" not in str(error.value) and "plain" in str(error.value)
