"use strict";
// Everything that is shown is made with textContent and setAttribute, so text of the file is never read as HTML.
// The state of the page is its URL fragment: #mode=hctr2,xts&target=xc7/core&x=luts&sort=-bytes_per_cycle
const data = JSON.parse(document.getElementById("data").textContent);
const COLOURS = ["#1f77b4", "#d97700", "#2ca02c", "#d04848", "#9467bd", "#a0705f", "#d862b0", "#8c8c10", "#109bab"];
const SHAPES = ["circle", "square", "triangle", "diamond"];
const FILTERS = data.filters, AXES = data.axes;
const LOWER = new Set(data.lower);
const byId = name => document.getElementById(name);
const all = (points, get) => [...new Set(points.map(get))];
const modes = all(data.points, point => point.name);
let state = {};

function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function draw(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const told = value => value === null || value === undefined ? "–" : typeof value === "number" ? String(+value.toPrecision(8)) : String(value);

function shape(mode, x, y, size, attributes) {
  const number = modes.indexOf(mode), kind = number < 0 ? "circle" : SHAPES[Math.floor(number / COLOURS.length) % SHAPES.length];
  if (number >= 0) attributes = { fill: COLOURS[number % COLOURS.length], ...attributes };
  if (kind === "circle") return draw("circle", { cx: x, cy: y, r: size, ...attributes });
  const corners = {
    square: [[-1, -1], [1, -1], [1, 1], [-1, 1]], triangle: [[0, -1.2], [1.15, 0.9], [-1.15, 0.9]], diamond: [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
  }[kind];
  return draw("polygon", { points: corners.map(([a, b]) => `${x + a * size},${y + b * size}`).join(" "), ...attributes });
}

function read() {
  const asked = new URLSearchParams(location.hash.slice(1));
  state = Object.fromEntries([...asked].filter(([name]) => ["mode", "x", "y", "sort", "point", "references"].includes(name) || name in FILTERS));
}

function go(changes) {
  const next = { ...state, ...changes };
  for (const name of Object.keys(next)) if (next[name] === null || next[name] === "") delete next[name];
  state = next;
  history.replaceState(null, "", "#" + new URLSearchParams(next));
  show();
}

// Names are joined by commas, so a comma in the path of a mode's file is written as %2C.
const coded = name => name.replace(/[%,]/g, encodeURIComponent);
const wanted = () => state.mode ? state.mode.split(",").map(name => name.replace(/%2C/g, ",").replace(/%25/g, "%")) : [];
const passes = point => (!wanted().length || wanted().includes(point.name))
  && Object.keys(FILTERS).every(name => !state[name] || told(point.filters[name]) === state[name]);

// On each target, and in each way to map, the points that no other one beats on both axes.
function front(points, x, y) {
  const worse = (axis, a, b) => LOWER.has(axis) ? a > b : a < b;
  const found = new Set(), ok = points.filter(point => point.status === "ok" && !point.broken);
  for (const one of ok) {
    const [a, b] = [one.figures[x], one.figures[y]];
    const beaten = ok.some(two => two.filters.target === one.filters.target && (two.figures[x] !== a || two.figures[y] !== b)
      && !worse(x, two.figures[x], a) && !worse(y, two.figures[y], b));
    if (!beaten) found.add(one.key);
  }
  return found;
}

function has(points, axis) { return points.some(point => typeof point.figures[axis] === "number"); }

function axes(points) {
  const possible = data.default.filter(([x, y]) => points.some(point => typeof point.figures[x] === "number" && typeof point.figures[y] === "number"));
  const [x, y] = possible[0] || ["latency", "bytes_per_cycle"];
  // A target on which every point has a clock is compared in bits a second, as modeloom sweep does.
  const rated = points.filter(point => point.filters.target !== "none" && typeof point.figures.bytes_per_cycle === "number");
  const clocked = rated.length > 0 && y === "bytes_per_cycle" && rated.every(point => typeof point.figures.gbit === "number");
  return [state.x in AXES ? state.x : x, state.y in AXES ? state.y : clocked ? "gbit" : y];
}

function scale(values, from, to) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const ticks = [];
  if (least > 0 && most / least > 20) {
    const [a, b] = [Math.log(least / 1.2), Math.log(most * 1.2)];
    let steps = [1, 2, 5];
    if (most / least > 2000) steps = [1];
    for (let power = Math.floor(Math.log10(least)) - 1; power <= Math.log10(most) + 1; power++)
      for (const step of steps) {
        const at = +(step * 10 ** power).toPrecision(3);
        if (Math.log(at) >= a && Math.log(at) <= b) ticks.push(at);
      }
    return { at: value => from + (to - from) * (Math.log(value) - a) / (b - a), ticks };
  }
  const high = most * 1.06 || 1, low = Math.min(0, least);
  const rough = (high - low) / 6, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find(each => each * power >= rough) * power;
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) ticks.push(+at.toPrecision(8));
  return { at: value => from + (to - from) * (value - low) / (high - low), ticks };
}

function comparable(reference, x, shown) {
  if (!data.areas.includes(x)) return true;
  const targets = all(shown, point => point.filters.target.split("/")[0]);
  return reference.targets.some(target => targets.some(each => each === target || each.startsWith(target + ":")));
}

function plot(points, x, y) {
  const svg = byId("plot"), width = Math.max(300, svg.clientWidth || 900), height = width < 600 ? 340 : 460;
  const both = point => typeof point.figures[x] === "number" && typeof point.figures[y] === "number";
  const shown = points.filter(point => both(point) && point.status === "ok");
  const references = state.references === "none" ? [] : data.references.filter(one => both(one) && comparable(one, x, shown));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  svg.replaceChildren();
  const [left, right, top, bottom] = [54, width - 12, 22, height - 42];
  const every = [...shown, ...references];
  if (!every.length) svg.append(draw("text", { x: left, y: 60 }, "No point has both figures."));
  else {
    const across = scale(every.map(one => one.figures[x]), left, right), up = scale(every.map(one => one.figures[y]), bottom, top);
    let last = -1e9;
    for (const tick of across.ticks) {
      const at = across.at(tick);
      svg.append(draw("line", { class: "grid", x1: at, x2: at, y1: top, y2: bottom }));
      if (at - last < 42 || at > right - 8) continue;
      svg.append(draw("text", { x: at, y: bottom + 16, "text-anchor": "middle" }, tick.toLocaleString("en")));
      last = at;
    }
    for (const tick of up.ticks) {
      const at = up.at(tick);
      svg.append(draw("line", { class: "grid", x1: left, x2: right, y1: at, y2: at }));
      svg.append(draw("text", { x: left - 6, y: at + 4, "text-anchor": "end" }, tick.toLocaleString("en")));
    }
    svg.append(draw("text", { x: right, y: height - 6, "text-anchor": "end" }, AXES[x] + " →"));
    svg.append(draw("text", { x: 4, y: 13 }, "↑ " + AXES[y]));
    const best = front(shown, x, y);
    for (const target of all(shown, point => point.filters.target)) {
      const line = shown.filter(point => best.has(point.key) && point.filters.target === target)
        .map(point => [across.at(point.figures[x]), up.at(point.figures[y])]).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
      svg.append(draw("polyline", { class: "front", points: line.map(pair => pair.map(each => each.toFixed(1)).join(",")).join(" ") }));
    }
    const place = one => [across.at(one.figures[x]), up.at(one.figures[y])];
    const near = (a, b) => Math.hypot(place(a)[0] - place(b)[0], place(a)[1] - place(b)[1]) < 5;
    const add = (one, attributes) => {
      const node = shape(one.key ? one.name : null, ...place(one), width < 600 ? 5 : 5.5, attributes);
      node.append(draw("title", {}, `${one.name}${one.broken ? " (broken)" : ""} ${one.text}: ${told(one.figures[x])} / ${told(one.figures[y])}`));
      node.addEventListener("click", () => choose(one, every.filter(two => two !== one && near(one, two))));
      svg.append(node);
    };
    references.forEach(one => add(one, { "data-reference": one.id }));
    // Points on the front are drawn last, above others at the same place.
    [...shown].sort((a, b) => best.has(a.key) - best.has(b.key)).forEach(point => add(point, {
      "data-point": point.key, class: (best.has(point.key) ? "on-front" : "") + (point.broken ? " broken" : "") + (point.key === state.point ? " chosen" : ""),
    }));
  }
  const missing = points.length - shown.length;
  byId("caption").textContent = `${shown.length} points, ${references.length} designs of papers and open cores (hollow). The dashed line is the Pareto front: no other point is better in `
    + `both figures. Broken modes (faint) are not on it.${missing ? ` ${missing} points do not have both figures and are only in the table.` : ""}`;
  byId("plot").dataset.axes = `${x} ${y}`;
}

function choose(one, others = []) {
  if (one.key) go({ point: one.key });
  panel(one, others);
  byId("panel").scrollIntoView({ block: "nearest" });
}

function panel(one, others = []) {
  const section = byId("panel");
  if (!one) return section.replaceChildren();
  const list = make("dl");
  const line = (name, value) => { if (value !== null && value !== undefined && value !== "") list.append(make("dt", {}, name), make("dd", {}, told(value))); };
  const close = make("button", { type: "button", onclick: () => { go({ point: null }); panel(null); } }, "close");
  section.replaceChildren(make("h3", {}, one.name), make("p", {}, one.text));
  if (one.key) {
    if (one.broken) section.append(make("p", { className: "warn" }, "This mode is broken. Do not use it for new designs."));
    line("mode", one.title);
    line("security", one.security);
    section.append(make("pre", { className: "command" }, one.command));
    line("status", one.error ? `${one.status}: ${one.error}` : one.status);
    line("proved", one.proved);
    line("Pareto front of the sweep", one.front ? "yes" : null);
    line("target", one.filters.target === "none" ? "not synthesised" : one.filters.target);
  } else {
    for (const name of ["device", "area", "measured", "source", "note"]) line(name, one[name]);
  }
  for (const [name, title] of Object.entries({ ...AXES, ...data.more })) line(title, one.figures[name]);
  section.append(list);
  if (one.key) {
    section.append(make("details", {}, make("summary", {}, "all results of its steps (JSON)"), make("pre", {}, JSON.stringify(one.result, null, 1))));
    section.append(make("p", {}, `definition ${one.definition.slice(0, 16)}; ` + Object.entries(one.tools).map(each => each.join(" ")).join(", ")));
  }
  if (others.length) {
    const beside = make("p", {}, "At the same place: ");
    for (const two of others.slice(0, 12))
      beside.append(make("button", { type: "button", onclick: () => choose(two, [one, ...others.filter(each => each !== two)]) },
        `${two.name} ${two.text}`.slice(0, 60)), " ");
    if (others.length > 12) beside.append(`and ${others.length - 12} more`);
    section.append(beside);
  }
  section.append(close);
}

function table(points, x, y) {
  const columns = Object.entries({ front: "front", name: "name", text: "options", target: "target", ...data.columns, status: "status" })
    .filter(([name]) => name in data.columns ? has(data.points, name) : name !== "front" || data.points.some(point => point.front));
  const get = (point, name) => name === "target" ? point.filters.target : name in data.columns ? point.figures[name] : point[name];
  const down = (state.sort || "").startsWith("-"), by = (state.sort || "").replace("-", "");
  const sorted = [...points];
  if (columns.some(([name]) => name === by)) {
    sorted.sort((one, two) => {
      const [a, b] = [get(one, by), get(two, by)];
      // Points without the figure are last in both directions.
      if (a === null || b === null) return (a === null) - (b === null);
      const order = typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b;
      return down ? -order : order;
    });
  }
  const head = make("tr");
  for (const [name, title] of columns) {
    const arrow = by === name ? (down ? " ▼" : " ▲") : "";
    const cell = make("th", { scope: "col", className: name in data.columns ? "number" : "" },
      make("button", { type: "button", onclick: () => go({ sort: by === name && !down ? "-" + name : name }) }, title + arrow));
    cell.setAttribute("aria-sort", by === name ? (down ? "descending" : "ascending") : "none");
    head.append(cell);
  }
  const body = make("tbody");
  for (const point of sorted) {
    const row = make("tr", { tabIndex: 0, className: point.key === state.point ? "chosen" : "" });
    row.dataset.row = point.key;
    for (const [name] of columns) {
      const value = name === "name" && point.broken ? `${point.name} (broken)` : name === "front" ? (point.front ? "★" : "") : told(get(point, name));
      row.append(make("td", { className: name in data.columns ? "number" : name === "text" ? "long" : "" }, value));
    }
    row.addEventListener("click", () => choose(point));
    row.addEventListener("keydown", event => { if (event.key === "Enter") choose(point); });
    body.append(row);
  }
  byId("points").replaceChildren(make("thead", {}, head), body);
  byId("count").textContent = `${points.length} of ${data.points.length} points. Click a row to see the figures of the point and the command that builds it. `
    + "Click a column header to sort." + (data.points.some(point => point.front) ? " ★ marks points on the Pareto front of the sweep." : "");
}

function controls(x, y) {
  const form = byId("filters");
  form.replaceChildren();
  const select = (name, title, entries, value) => {
    const node = make("select", { name, onchange: () => go({ [name]: node.value || null }) });
    for (const [each, text] of entries) node.append(make("option", { value: each, selected: each === value }, text));
    form.append(make("label", {}, title, node));
  };
  for (const [name, title] of Object.entries(FILTERS)) {
    const values = all(data.points, point => told(point.filters[name])).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    // A value of the address that no point has is shown, since it hides all points.
    if (state[name] && !values.includes(state[name])) values.push(state[name]);
    if (values.length > 1 || state[name]) select(name, title, [["", "all"], ...values.map(value => [value, value])], state[name] || "");
  }
  const possible = Object.entries(AXES).filter(([name]) => has(data.points, name));
  select("x", "x axis", possible, x);
  select("y", "y axis", possible, y);
  select("references", "papers, open cores", [["", "shown"], ["none", "hidden"]], state.references || "");
  form.append(make("button", { type: "button", onclick: () => { state = {}; go({}); panel(null); } }, "show all"));
  const chips = byId("chips");
  chips.replaceChildren();
  for (const mode of modes) {
    const on = wanted().includes(mode);
    const next = on ? wanted().filter(each => each !== mode) : [...wanted(), mode];
    const chip = make("button", { type: "button", onclick: () => go({ mode: next.map(coded).join(",") || null }) },
      draw("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, shape(mode, 6, 6, 5, {})), mode);
    chip.setAttribute("aria-pressed", on);
    chips.append(chip);
  }
}

function references() {
  const rows = data.references.map(one => {
    const row = make("tr");
    for (const value of [one.name, one.text, one.device, one.area, one.figures.bytes_per_cycle, one.figures.gbit, one.figures.latency])
      row.append(make("td", { className: typeof value === "number" ? "number" : "" }, told(value)));
    row.append(make("td", { className: "long" }, one.source + (one.note ? `. ${one.note}` : "")));
    return row;
  });
  const head = ["design", "what", "device", "area", "bytes per cycle", "Gbit/s", "latency", "source"];
  byId("references").replaceChildren(make("thead", {}, make("tr", {}, ...head.map(text => make("th", { scope: "col" }, text)))), make("tbody", {}, ...rows));
}

function show() {
  const points = data.points.filter(passes);
  const [x, y] = axes(points);
  controls(x, y);
  plot(points, x, y);
  table(points, x, y);
}

function start() {
  read();
  show();
  panel(data.points.find(point => point.key === state.point));
}

addEventListener("hashchange", start);
addEventListener("resize", show);
references();
start();
