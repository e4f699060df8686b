# SPDX-License-Identifier: Apache-2.0
"""The order of lines that mean the same costs no latency and no storage: a mode of the FAST kind in nine orders."""

from __future__ import annotations

from functools import cache

import pytest
from tests.built import slow, slowly
from tests.compiler.fast_like import ORDERS

from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.definition.software import Model
from modeloom.options.sectors import Options
from modeloom.schedule.check import check_schedule

SPREAD = 1.03
"""The largest by the smallest latency among the orders."""

SOME = ("first-first", "first-last", "last-first", "last-middle")


@cache
def compiled(order: str, sector: int, aes: int, prove: bool = False) -> Compiled:
    return compile_mode(ORDERS[order](), Options(sector=sector, cipher_cores=aes), prove=prove)


def check_orders(orders, sector: int, aes: int, limit: float) -> None:
    every = {order: compiled(order, sector, aes) for order in orders}
    latency = {order: made.schedule.latency for order, made in every.items()}
    storage = {order: made.allocation.storage_blocks for order, made in every.items()}
    assert max(latency.values()) <= SPREAD * min(latency.values()), latency
    assert max(storage.values()) <= 1.15 * min(storage.values()), storage
    for made in every.values():
        figures = made.explain()
        assert figures["ii"] == figures["ii_bound"]
        assert figures["latency_bound"] == max(figures["latency_bounds"].values()) <= figures["pairing_bound"] <= figures["latency"]
        assert figures["latency"] <= limit * figures["latency_bound"], figures
        assert "latency_reason" not in figures
        check_schedule(made.schedule)


def test_the_orders_compute_the_same() -> None:
    models = [Model(mode(), bytes(range(32))) for mode in ORDERS.values()]
    data, tweak = bytes(range(80)), bytes(range(16))
    encrypted = {model.encrypt(tweak, data) for model in models}
    assert len(encrypted) == 1 and encrypted != {data}
    assert {model.decrypt(tweak, text) for model in models for text in encrypted} == {data}


@pytest.mark.parametrize("aes", [1, *slowly(2)])
def test_the_order_of_lines_costs_nothing_at_32_blocks(aes: int) -> None:
    check_orders(SOME, 512, aes, 1.1)


@slow
@pytest.mark.parametrize("aes", [1, 2, 4, 8])
def test_all_orders_at_32_blocks(aes: int) -> None:
    check_orders(ORDERS, 512, aes, 1.1)


@slow
@pytest.mark.parametrize("aes", [1, 2])
def test_the_order_of_lines_costs_nothing_at_256_blocks(aes: int) -> None:
    check_orders(SOME, 4096, aes, 1.2)


def test_a_program_with_pairs_by_times_is_proved() -> None:
    assert compiled("last-first", 96, 2, prove=True).proved
    assert compiled("first-last", 64, 1, prove=True).proved
