# SPDX-License-Identifier: Apache-2.0
"""Pages in headless Chromium: what is in them after their script, and one that a test adds, have run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

from tests.external import needs, program

__all__ = ["framed", "needs_chromium", "opened", "planted", "seen"]

needs_chromium = needs("chromium")

HANDS = """
const hit = node => {
  node.scrollIntoView({ block: "center", inline: "center" });
  const box = node.getBoundingClientRect(), at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
  const top = document.elementFromPoint(at.clientX, at.clientY);
  if (!top || !node.contains(top)) throw Error(`${node.outerHTML} is under ${top && top.outerHTML}`);
  return [top, { bubbles: true, cancelable: true, ...at }];
};
const click = node => { const [top, how] = hit(node); top.dispatchEvent(new MouseEvent("click", how)); };
const take = (select, value) => {
  hit(select);
  if (![...select.options].some(each => each.value === value)) throw Error(`${select.name} has no ${value}`);
  select.value = value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
};
const press = (node, key) => { node.focus(); document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); };
const find = (selector, text) => {
  const found = [...document.querySelectorAll(selector)].filter(node => text === undefined || node.textContent.includes(text));
  if (found.length !== 1) throw Error(`${found.length} nodes are ${selector} ${text}`);
  return found[0];
};
"""
"""What a reader does.  A node under another one, or out of the page, takes no click."""


def opened(text: str, folder: Path, *options: str, fragment: str = "") -> tuple[str, list[str]]:
    """The document after its script has run, and what the browser wrote to its console."""
    page = folder / "page.html"
    page.write_text(text, encoding="utf-8")
    command = [
        program("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
        "--virtual-time-budget=3000", f"--user-data-dir={folder / 'profile'}", *options, "--dump-dom", f"{page.as_uri()}{fragment}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "</html>" in done.stdout, done.stderr
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def planted(text: str, script: str) -> str:
    """A page with a script after its own one, which the page's policy lets run.

    The script may use ``HANDS``.  What it returns is what ``seen`` finds in the document.
    """
    script = f"""(() => {{ {HANDS}
const tell = told => {{
  document.documentElement.dataset.seen = JSON.stringify(told);
  if (parent !== self) parent.postMessage(JSON.stringify(told), "*");
}};
tell((() => {{ {script} }})()); }})();"""
    if "script-src 'unsafe-inline'" not in text:
        hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert text.count("script-src '") == 1
        text = text.replace("script-src '", f"script-src 'sha256-{hashed}' '")
    assert text.count("</body>") == 1
    return text.replace("</body>", f"<script>{script}</script></body>")


def framed(text: str, folder: Path, width: int) -> str:
    """A page that shows another one in a frame, because a window of Chromium has at least 500 pixels."""
    (folder / "framed.html").write_text(text, encoding="utf-8")
    listen = 'addEventListener("message", event => { document.documentElement.dataset.seen = event.data; });'
    frame = f'<iframe src="framed.html" style="border: 0; width: {width}px; height: 844px"></iframe>'
    return f"<!DOCTYPE html><html><body><script>{listen}</script>{frame}</body></html>"


def seen(document: str) -> Any:
    """What the planted script returned."""
    found = re.search(r'<html[^>]* data-seen="([^"]*)"', document)
    assert found, "the planted script did not end"
    return json.loads(unescape(found[1]))
