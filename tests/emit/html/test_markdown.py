# SPDX-License-Identifier: Apache-2.0
"""The Markdown of datasheets as HTML."""

from __future__ import annotations

from modeloom.emit.html.page import inline, markdown


def test_inline():
    assert inline("a `x < y` **b `c` d** [file](core.json) & e") == (
        'a <code>x &lt; y</code> <strong>b <code>c</code> d</strong> <a href="core.json">file</a> &amp; e'
    )
    assert inline("`**`a`**` <script>") == "<code>**</code>a<code>**</code> &lt;script&gt;"
    # Links to other places than the folder stay text.
    assert inline("[x](https://example.org)") == "[x](https://example.org)"


def test_blocks():
    lines = ["## Title", "", "one", "two", "", "- a", "- b", "> mind",
             "", "| h | `i` |", "|---|---|", "| 1 | 2 |", "<!-- no -->", "    code"]
    assert list(markdown(lines)) == [
        "<h3>Title</h3>", "<p>one two</p>", "<ul>", "<li>a</li>", "<li>b</li>", "</ul>", "<blockquote>mind</blockquote>",
        '<div class="wide"><table>', "<thead><tr><th>h</th><th><code>i</code></th></tr></thead>", "<tbody>",
        "<tr><td>1</td><td>2</td></tr>", "</tbody></table></div>", "<pre><code>code</code></pre>",
    ]  # fmt: skip
