# SPDX-License-Identifier: Apache-2.0
"""The moduli for which circuits can be built, by name.

::

    ghash, xts    x^128 + x^7 + x^2 + x + 1              bits of a byte reversed, or not
    polyval       x^128 + x^127 + x^126 + x^121 + 1      product with the factor x^-128
    x40           x^128 + x^40 + x^2 + x + 1             order of GHASH
"""

from __future__ import annotations

from modeloom.circuits.contract import Option
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field

__all__ = ["FIELDS", "FIELD_OPTION", "X40_ORDER"]

X40_ORDER = Field("x40", 128, (1 << 128) | (1 << 40) | 0x7, bytewise_reversed=True)
"""x^128 + x^40 + x^2 + x + 1.  gcm2008, section 3.3.2 uses it to show the cost of a larger inner exponent.

x^3 + x^2 + 1 divides it, so it defines a ring in which not every block has an inverse.  It is used to compare gates.
"""

FIELDS: dict[str, Field] = {field.name: field for field in (GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, X40_ORDER)}

FIELD_OPTION = Option("field", "ghash", "Modulus, bit order, and factor of the product", choices=tuple(FIELDS))
