# SPDX-License-Identifier: Apache-2.0
"""A browser takes the page without errors, and its script runs."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.emit.html.cores import page_of

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)")


def opened(text: str, folder: Path, *options: str) -> tuple[str, list[str]]:
    """The document after its script has run, and what the browser wrote to its console."""
    page = folder / "page.html"
    page.write_text(text)
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", f"--user-data-dir={folder / 'profile'}",
        *options, "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@pytest.mark.parametrize("name", ["sizes", "gcm"])
def test_no_errors(name, tmp_path):
    document, console = opened(page_of(name), tmp_path)
    assert console == []
    # The clock of the reader has its throughput.
    assert re.search(r"<output[^>]*>[\d.]+ Gbit/s</output>", document)


def test_errors_are_seen(tmp_path):
    text = page_of("gcm")
    assert opened(text.replace('"use strict";', '"use strict"; missing();', 1), tmp_path)[1]
    # The page itself forbids what comes from elsewhere.
    assert opened(text.replace("</head>", '<script src="http://127.0.0.1:9/a.js"></script></head>', 1), tmp_path)[1]


def test_nothing_is_wider_than_a_phone(tmp_path):
    """Wide parts scroll within themselves.  The script tells the width of the document beside that of the window."""
    probe = '<script>document.title = document.documentElement.scrollWidth + " " + innerWidth;</script></body>'
    document, _ = opened(page_of("sizes").replace("</body>", probe), tmp_path, "--window-size=500,900")
    width, window = map(int, re.search(r"<title>(\d+) (\d+)</title>", document).groups())
    assert width <= window <= 500
