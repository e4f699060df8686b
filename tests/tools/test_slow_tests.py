# SPDX-License-Identifier: Apache-2.0
"""``tools/slow_tests.py``: the longest tests of a report, in the form of ``tests/slow_tests.txt``."""

import pytest
from tests.scripts import script

REPORT = """<testsuites><testsuite>
<testcase classname="tests.tools.test_slow_tests" name="test_rows[a b]" time="7.6" />
<testcase classname="tests.tools.test_slow_tests" name="test_short" time="4.9" />
<testcase classname="tests.tools.test_slow_tests" name="test_long" time="60" />
<testcase classname="tests.no.such_file" name="test_gone" time="90" />
<testcase time="1" />
</testsuite></testsuites>"""


def test_rows(tmp_path, capsys):
    """Tests of files that are there, the longest first, with the names that pytest has for them."""
    (tmp_path / "report.xml").write_text(REPORT)
    assert script("tools/slow_tests.py").main([str(tmp_path / "report.xml")]) == 0
    here = "tests/tools/test_slow_tests.py::"
    assert capsys.readouterr().out.splitlines() == [f"  60 {here}test_long", f"   8 {here}test_rows[a b]"]
    assert script("tools/slow_tests.py").main([str(tmp_path / "report.xml"), "61"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("arguments", [[], ["none.xml"], ["{report}", "many"], ["{text}"], ["a", "1", "2"]])
def test_wrong_arguments(arguments, tmp_path, capsys):
    (tmp_path / "report.xml").write_text(REPORT)
    (tmp_path / "text").write_text("no report")
    given = [each.format(report=tmp_path / "report.xml", text=tmp_path / "text") for each in arguments]
    assert script("tools/slow_tests.py").main(given) == 2
    assert capsys.readouterr().err.count("\n") == 1
