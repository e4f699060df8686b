# SPDX-License-Identifier: Apache-2.0
"""Hash circuits of brw2013: trees of BRW polynomials, the order of their products, storage, the circuits beside Horner's rule."""

from modeloom_circuits.brw.circuit import BRWHash, HornerHash
from modeloom_circuits.brw.products import collapsed_forest, extra_storage, least_clocks, schedule, schedule_text, shortest_schedule

__all__ = ["BRWHash", "HornerHash", "collapsed_forest", "extra_storage", "least_clocks", "schedule", "schedule_text", "shortest_schedule"]
