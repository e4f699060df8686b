# SPDX-License-Identifier: Apache-2.0
"""The LWC interface around the message control: words of PDI, SDI and DO on one side, and its streams on the other.

In the order of the data::

    layer.py        what a core with this interface is, and its parts around the message control
    parameters.py   widths, the layouts of words and records, and the gate behind which words are public
    parser.py       instructions and segments of PDI; words of associated data and text become beats; keys from SDI; segments and
                    statuses on DO
"""

from modeloom.layers.lwc.layer import LwcInterface

__all__ = ["LwcInterface"]
