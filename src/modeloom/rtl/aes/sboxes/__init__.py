# SPDX-License-Identifier: Apache-2.0
"""The S-box of AES in every form: tables, towers of fields, decision diagrams, few gates."""
