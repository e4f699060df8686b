# SPDX-License-Identifier: Apache-2.0
"""Single faults, planted at random in the Verilog of a core: ``sites`` finds where, ``schemata`` puts many into one file with a number to
choose by, ``traffic`` finds which change an output, ``trial`` runs the checks of ``modeloom verify`` on them."""
