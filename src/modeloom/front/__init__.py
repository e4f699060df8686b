# SPDX-License-Identifier: Apache-2.0
"""Front ends: what stands between the streams of a core and a system.

::

    registers.rdl ──▶ map ──▶ rtl/front (hardware)   wrapper (the top around core and front end)   header, tables, page, driver
"""
