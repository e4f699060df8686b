# SPDX-License-Identifier: Apache-2.0
"""Checks of a block cipher that a mode brings, before a core is written: its results, its cycles, and that neither depends on time or data.

Simulations compare hardware and software, and find the wrong latency of any block that they send.  A latency that changes for rare blocks
is found in the netlist: something that data decide would be a control point (``taint.control``).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from amaranth.back import rtlil
from amaranth.hdl import UnusedElaboratable

from modeloom.ciphers import BlockCipher, CoreRequest, is_own
from modeloom.ciphers.check import check_cipher
from modeloom.product.description import Result, Secret
from modeloom.rtl.cipher_bench import CipherBench
from modeloom.spec import DefinitionError
from modeloom.taint import TimingChannel, check_netlist
from modeloom.taint.netlist import netlist_of_rtlil

__all__ = ["check_own_cipher", "check_timing"]


def check_own_cipher(cipher: BlockCipher, requests: Iterable[CoreRequest]) -> None:
    """Checks the cores of a cipher that a mode brings.  A cipher of this project passes, because its tests check it.

    Raises ``DefinitionError``.
    """
    asked = list(requests)
    check_cipher(cipher, asked)
    if is_own(cipher):
        for request in asked:
            check_timing(cipher, request)


def check_timing(cipher: BlockCipher, request: CoreRequest) -> None:
    """Checks that no block, tweak or key decides when something happens in a core or in its key schedule.

    Raises ``DefinitionError``.  Its line says what is decided, by what, and over which signals.
    """
    core, schedule = cipher.hardware(request), cipher.expander(request.key_sizes)
    bench = CipherBench(request.direction, core, schedule, request.slots, request.form != "pipelined")
    ports = {name: len(getattr(bench, name)) for name in bench.signature.members}
    with warnings.catch_warnings():
        # A port that the core does not have drives nothing.
        warnings.simplefilter("ignore", UnusedElaboratable)
        netlist = netlist_of_rtlil(rtlil.convert(bench, name="bench", emit_src=False), "bench")
    secrets = [Secret(what, name, 0, ports[name], reaches=False) for what, name in (("data", "i"), ("key", "key"))]
    results = [Result(name, ports[name]) for name in ("o", "data", "data_dec")]
    try:
        check_netlist(netlist, secrets, results, users=[".*"])
    except TimingChannel as error:
        raise DefinitionError(
            f"cipher {cipher.name}: {request}: its timing depends on data: {error}; docs/new-mode.md, \"Timing of a cipher\", has the rule"
        ) from None
