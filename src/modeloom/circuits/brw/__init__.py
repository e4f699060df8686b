# SPDX-License-Identifier: Apache-2.0
"""Hash circuits of brw2013: trees of BRW polynomials, the order of their products, storage, the circuits beside Horner's rule."""

from modeloom.circuits.brw.polynomials import BRWHash, HornerHash
from modeloom.circuits.brw.schedule import schedule, schedule_text
from modeloom.circuits.brw.shortest import least_clocks, shortest_schedule
from modeloom.circuits.brw.storage import extra_storage
from modeloom.circuits.brw.trees import collapsed_forest

__all__ = ["BRWHash", "HornerHash", "collapsed_forest", "extra_storage", "least_clocks", "schedule", "schedule_text", "shortest_schedule"]
