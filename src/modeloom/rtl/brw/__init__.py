# SPDX-License-Identifier: Apache-2.0
"""Hash circuits of brw2013: trees of BRW polynomials, the order of their products, storage, the circuits beside Horner's rule."""

from modeloom.rtl.brw.polynomials import BRWHash, HornerHash
from modeloom.rtl.brw.schedule import schedule, schedule_text
from modeloom.rtl.brw.shortest import least_clocks, shortest_schedule
from modeloom.rtl.brw.storage import extra_storage
from modeloom.rtl.brw.trees import collapsed_forest

__all__ = ["BRWHash", "HornerHash", "collapsed_forest", "extra_storage", "least_clocks", "schedule", "schedule_text", "shortest_schedule"]
