# SPDX-License-Identifier: Apache-2.0
"""The style of the page, and its script.  Both stand in the page, which loads nothing."""

from __future__ import annotations

__all__ = ["COLOURS", "SCRIPT", "STYLE"]

COLOURS = 6
"""Number of colours of cells (``.c0`` to ``.c5``)."""

STYLE = """\
:root { color-scheme: light dark; --ink: #1c2128; --quiet: #57606a; --page: #fff; --card: #f6f8fa; --line: #d0d7de; --strong: #8c959f;
  --link: #0550ae; --target: #fff3c4; --warn: #a40e26; --warn-card: #fff0ef; --good-card: #eef6ff; --on: #111;
  --c0: #3f8fd2; --c1: #e69f00; --c2: #2ea27c; --c3: #cc79a7; --c4: #7cc4ef; --c5: #e5703a;
  --unit: #dcecfb; --storage: #e0f3ea; --bus: #fdf0d3; --control: #efe5f3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --quiet: #9da7b3; --page: #0f1318; --card: #171c23; --line: #343b45;
  --strong: #6e7681; --link: #79b8ff; --target: #4a3d10; --warn: #ff9a92; --warn-card: #2d1617; --good-card: #13202f; --on: #0b0e12;
  --unit: #17344f; --storage: #17402f; --bus: #453513; --control: #3b2a45; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 3.2em; }
body { margin: 0; color: var(--ink); background: var(--page); font: 15px/1.5 "Helvetica Neue", Helvetica, Arial, sans-serif; }
a { color: var(--link); }
nav { position: sticky; top: 0; z-index: 2; background: var(--card); border-bottom: 1px solid var(--line); padding: .45em 1.2em;
  white-space: nowrap; overflow-x: auto; }
nav a { margin-right: 1.1em; text-decoration: none; }
main { max-width: 76em; margin: 0 auto; padding: 0 1.2em 3em; }
h1 { font-size: 1.7em; line-height: 1.2; margin: 1em 0 .3em; overflow-wrap: anywhere; }
h2 { font-size: 1.3em; margin: 2.2em 0 .6em; padding-bottom: .2em; border-bottom: 1px solid var(--line); }
h3, h4 { margin: 1.5em 0 .4em; }
.lead { font-size: 1.08em; }
.card { border: 1px solid var(--line); border-left: 4px solid var(--c0); background: var(--good-card); padding: .5em 1em; margin: 1em 0;
  border-radius: 4px; }
.card p, .card ul { margin: .35em 0; }
.warn, blockquote { border: 1px solid var(--warn); border-left: 4px solid var(--warn); background: var(--warn-card); margin: 1em 0;
  padding: .5em 1em; border-radius: 4px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(11em, 1fr)); gap: .7em; margin: 1em 0; }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .5em .8em; }
.tiles b { display: block; font-size: 1.35em; }
.tiles small, .quiet { color: var(--quiet); }
code, pre { font-family: "SFMono-Regular", Consolas, "Liberation Mono", monospace; font-size: .92em; overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 4px; padding: .6em .8em; overflow-x: auto; }
pre code { overflow-wrap: normal; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .6em 0 1.2em; }
th, td { border: 1px solid var(--line); padding: .25em .55em; text-align: left; vertical-align: top; }
th { background: var(--card); }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
table.word { table-layout: fixed; width: 100%; min-width: 44em; }
td.bits { text-align: center; padding: .25em 0; overflow-wrap: anywhere; }
td.bits small { display: block; color: var(--quiet); }
td.none { background: var(--card); }
figure { margin: .8em 0; border: 1px solid var(--line); border-radius: 6px; background: var(--card); overflow: auto; }
figcaption { padding: .4em .8em; color: var(--quiet); }
svg { display: block; font-family: "Helvetica Neue", Helvetica, Arial, sans-serif; }
svg text { fill: var(--ink); font-size: 12px; }
svg text.quiet { fill: var(--quiet); font-size: 11px; }
svg a { cursor: pointer; }
.c0 { fill: var(--c0); } .c1 { fill: var(--c1); } .c2 { fill: var(--c2); } .c3 { fill: var(--c3); } .c4 { fill: var(--c4); }
.c5 { fill: var(--c5); }
.key { display: inline-block; width: .9em; height: .9em; border-radius: 2px; margin: 0 .35em 0 .9em; vertical-align: -.1em; }
.key.c0 { background: var(--c0); } .key.c1 { background: var(--c1); } .key.c2 { background: var(--c2); }
.key.c3 { background: var(--c3); } .key.c4 { background: var(--c4); } .key.c5 { background: var(--c5); }
.unit { fill: var(--unit); } .storage { fill: var(--storage); } .bus { fill: var(--bus); } .control { fill: var(--control); }
.key.unit { background: var(--unit); border: 1px solid var(--strong); } .key.storage { background: var(--storage);
  border: 1px solid var(--strong); } .key.bus { background: var(--bus); border: 1px solid var(--strong); }
.key.control { background: var(--control); border: 1px solid var(--strong); }
.box { stroke: var(--strong); } .wire { fill: none; stroke: var(--quiet); } .thin { fill: none; stroke: var(--line); }
.track:hover .wire { stroke: var(--c5); stroke-width: 2.5; } .dot { fill: var(--quiet); } .track:hover .dot { fill: var(--c5); }
.band { fill: var(--page); } .grid { stroke: var(--line); } .enter { stroke: var(--strong); stroke-dasharray: 3 3; }
.chart { display: flex; } .chart .rows { flex: none; } .plot, .chart .scroll { flex: 1 1 auto; min-width: 0; overflow-x: auto; }
.plot { cursor: grab; }
.tools { padding: .4em .8em 0; } .tools button, input { font: inherit; color: inherit; background: var(--page);
  border: 1px solid var(--strong); border-radius: 4px; padding: .05em .6em; min-width: 2.2em; }
.cell { stroke: var(--card); stroke-width: .6; vector-effect: non-scaling-stroke; }
a:focus .cell, a:hover .cell { stroke: var(--ink); stroke-width: 2; }
.source { border: 1px solid var(--line); border-radius: 6px; background: var(--card); overflow-x: auto; max-height: 34em; overflow-y: auto;
  position: relative; }
.source div { white-space: pre; font-family: "SFMono-Regular", Consolas, "Liberation Mono", monospace; font-size: 13px; padding: 0 .8em; }
.source .file { background: var(--line); font-weight: bold; padding: .15em .8em; }
.source i { display: inline-block; width: 3.2em; color: var(--quiet); font-style: normal; user-select: none; }
.source .dim { color: var(--quiet); } .source div:target { background: var(--target); outline: 1px solid var(--c1); }
.wave { fill: none; stroke: var(--ink); stroke-width: 1.2; } .value { fill: var(--unit); stroke: var(--ink); stroke-width: 1.2; }
svg text.data { font-size: 10px; } .gap { fill: var(--card); stroke: var(--card); stroke-width: 5; }
.gapline { fill: none; stroke: var(--strong); } .area { stroke: var(--page); stroke-width: 2; } svg text.area-name { fill: var(--on); }
@media (max-width: 40em) { body { font-size: 14px; } main { padding: 0 .7em 2em; } nav { padding: .45em .7em; }
  .tiles { grid-template-columns: repeat(auto-fill, minmax(8.5em, 1fr)); } th, td { padding: .2em .35em; } }
@media print { nav, .tools { display: none; } .source { max-height: none; } }"""
"""Colours follow the light or dark scheme of the reader.  Wide tables and pictures scroll within themselves on a narrow screen."""

SCRIPT = """\
"use strict";
// Zoom of charts: cells are scaled along x, and texts only move.  To pan is to scroll, or to drag with a mouse.
for (const plot of document.querySelectorAll(".plot")) {
  const svg = plot.querySelector("svg"), group = svg.querySelector("g.zoom"), width = +svg.getAttribute("width");
  let scale = 1;
  const zoom = (next, at) => {
    const least = Math.min(1, plot.clientWidth / width);
    next = Math.min(Math.max(next, least), 12);
    const kept = (plot.scrollLeft + at) / scale;
    scale = next;
    svg.setAttribute("width", width * scale);
    group.setAttribute("transform", `scale(${scale} 1)`);
    for (const text of svg.querySelectorAll("text[data-x]")) text.setAttribute("x", text.dataset.x * scale);
    plot.scrollLeft = kept * scale - at;
  };
  plot.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    zoom(scale * Math.pow(1.2, -Math.sign(event.deltaY || event.deltaX)), event.clientX - plot.getBoundingClientRect().left);
  }, { passive: false });
  let from = null, moved = false;
  plot.addEventListener("mousedown", (event) => { from = event.clientX + plot.scrollLeft; moved = false; });
  plot.addEventListener("mousemove", (event) => {
    if (from === null) return;
    if (Math.abs(from - event.clientX - plot.scrollLeft) > 3) moved = true;
    if (moved) plot.scrollLeft = from - event.clientX;
  });
  for (const name of ["mouseup", "mouseleave"]) plot.addEventListener(name, () => { from = null; });
  plot.addEventListener("dragstart", (event) => event.preventDefault());
  // A drag that ends on a cell is no click on its link.
  plot.addEventListener("click", (event) => { if (moved) event.preventDefault(); }, true);
  for (const button of plot.closest("figure").querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const factor = +button.dataset.zoom;
      zoom(factor ? scale * factor : plot.clientWidth / width, plot.clientWidth / 2);
    });
  }
}
// A button shows the first transfer of a bus, with a few columns before it.
for (const button of document.querySelectorAll("button[data-column]")) {
  button.addEventListener("click", () => { button.closest("figure").querySelector(".scroll").scrollLeft = button.dataset.column - 88; });
}
// Throughput at the clock of the reader.
for (const field of document.querySelectorAll("input[data-clock]")) {
  const told = () => {
    for (const out of document.querySelectorAll("output[data-bits]")) {
      const rate = out.dataset.bits / out.dataset.interval * field.value / 1000;
      out.textContent = field.value > 0 ? rate.toFixed(2) + " Gbit/s" : "";
    }
  };
  field.addEventListener("input", told);
  told();
}"""
"""A few lines without any library.  Without them, the page shows whole charts."""
