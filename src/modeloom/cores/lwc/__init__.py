# SPDX-License-Identifier: Apache-2.0
"""Makes a core of a compiled stream mode behind the LWC interface.

::

    bench      words of PDI, SDI and DO, and a bench
    core       the ``Core`` of all this, and its datasheet
"""

from modeloom.cores.lwc.core import LwcCore, same_lwc

__all__ = ["LwcCore", "same_lwc"]
