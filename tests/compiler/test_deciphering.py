# SPDX-License-Identifier: Apache-2.0
"""The cipher of a stream mode that deciphers blocks, and what does not go with it."""

import pytest
from tests.streams.modes import Deciphering, Padded

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.spec import InputError


@pytest.mark.parametrize(
    ("mode", "direction", "cipher"),
    [(Padded, "both", "encrypt"), (Deciphering, "both", "both"), (Deciphering, "decrypt", "both"), (Deciphering, "encrypt", "encrypt")],
)
def test_the_cipher_has_the_directions_that_steps_need(mode, direction, cipher):
    compiled = compile_stream(mode(), StreamOptions(key_bits=128, direction=direction), prove=False)
    assert compiled.cipher_request.direction == cipher


@pytest.mark.parametrize("keys", ["expanded", "inline"])
def test_keys_that_have_one_form_only_are_refused(keys):
    with pytest.raises(InputError, match=f"^deciphering deciphers blocks, .* leave out --keys {keys}$"):
        compile_stream(Deciphering(), StreamOptions(key_bits=128, keys=keys), prove=False)
    compile_stream(Deciphering(), StreamOptions(key_bits=128, keys=keys, direction="encrypt"), prove=False)
