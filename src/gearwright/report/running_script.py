"""The script of a report that computes: sliders, curves and limits, around the compiled dynamics."""

RUNNING_SCRIPT = r"""
(() => {
const data = JSON.parse(document.getElementById("running-data").textContent);
const bytes = Uint8Array.from(atob(document.getElementById("running-module").textContent.trim()), c => c.charCodeAt(0));
const count = data.time.length, drives = data.drives, entries = 2 * drives.length;
const math = Object.fromEntries(["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log",
  "sqrt", "floor", "ceil", "atan2", "pow"].map(name => [name, Math[name]]));
const env = {...math, fabs: Math.abs, fmin: Math.min, fmax: Math.max, fmod: (x, y) => x % y};
const $ = id => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 460, HEIGHT = 260, LEFT = 62, BOTTOM = 40, TOP = 10, RIGHT = 10;

WebAssembly.instantiate(bytes, {env}).then(({instance}) => start(instance.exports));

function start(module) {
  const view = (address, size) => new Float64Array(module.memory.buffer, address, size);
  function evaluate(values, pace) {
    view(module.parameters.value, Math.max(1, values.length)).set(values);
    module.evaluate(pace);
    const rows = view(module.results.value, count * entries).slice();
    const series = k => Array.from({length: count}, (_, t) => rows[t * entries + k]);
    return drives.map((drive, d) => summary(series(d), series(drives.length + d)));
  }
  window.gearwright = {evaluate, data};
  build(evaluate);
}

function summary(torque, speed) {
  const mean = torque.reduce((sum, x, t) => sum + data.weights[t] * x * x, 0);
  const largest = values => values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const power = torque.map((x, t) => x * speed[t]);
  return {torque, speed, rms: Math.sqrt(mean), peak: largest(torque), top: largest(speed), power: largest(power)};
}

function build(evaluate) {
  const nominal = evaluate(data.parameters.map(one => one.value), 1);
  const sliders = [...data.parameters, {label: "task speed", value: 1, low: 0.3, high: 2, unit: "x"}].map(slider);
  const choice = $("running-drive");
  drives.forEach((drive, d) => choice.add(new Option(drive.name, d)));
  function update() {
    const values = sliders.map(one => Number(one.input.value));
    sliders.forEach((one, k) => { one.output.textContent = `${text(values[k])} ${one.unit}`; });
    const pace = values.pop(), present = evaluate(values, pace), d = Number(choice.value);
    draw($("running-torque"), ["time [s]", "motor torque [Nm]"], [
      {x: data.time, y: nominal[d].torque, kind: "before"},
      {x: data.time.map(t => t / pace), y: present[d].torque, kind: "now"}], {});
    const size = one => ({x: one.speed.map(Math.abs), y: one.torque.map(Math.abs)});
    draw($("running-plane"), ["motor speed [rad/s]", "motor torque [Nm]"], [
      {...size(nominal[d]), kind: "before"}, {...size(present[d]), kind: "now"}], drives[d].limits);
    table(present);
    $("running-time").textContent = `${text(data.duration / pace)} s`;
  }
  sliders.forEach(one => one.input.addEventListener("input", update));
  choice.addEventListener("change", update);
  $("running-reset").addEventListener("click", () => {
    sliders.forEach(one => { one.input.value = one.input.dataset.nominal; });
    update();
  });
  update();
}

function slider(one) {
  const label = document.createElement("label"), input = document.createElement("input");
  const name = document.createElement("span"), output = document.createElement("output");
  name.textContent = one.label;
  Object.assign(input, {type: "range", min: one.low, max: one.high, step: "any"});
  input.setAttribute("aria-label", one.label);
  input.value = input.dataset.nominal = one.value;
  label.append(name, input, output);
  $("running-sliders").append(label);
  return {input, output, unit: one.unit};
}

function table(present) {
  const body = $("running-table");
  body.replaceChildren(...present.map((one, d) => {
    const row = document.createElement("tr"), limits = drives[d].limits;
    cell(row, drives[d].name);
    for (const [value, limit, unit] of [[one.rms, limits.continuous, "Nm"], [one.peak, limits.peak, "Nm"],
      [one.top, limits.top, "rad/s"], [one.power, null, "W"]]) {
      const share = limit ? `, ${(100 * value / limit).toFixed(0)} %` : "";
      cell(row, `${text(value)} ${unit}${share}`).className = limit && value > limit * (1 + 1e-9) ? "over" : "";
    }
    return row;
  }));
}

function cell(row, content) {
  const one = document.createElement("td");
  one.textContent = content;
  row.append(one);
  return one;
}

function text(x) { return Number(x.toPrecision(4)).toLocaleString("en", {maximumSignificantDigits: 4}); }

function draw(svg, labels, curves, limits) {
  const all = (axis, start) => curves.flatMap(one => one[axis])
    .reduce((range, x) => [Math.min(range[0], x), Math.max(range[1], x)], start);
  const [x0, x1] = all("x", [0, 1e-9]), [low, high] = all("y", [0, 1e-9]);
  const shown = Object.entries({continuous: limits.continuous, peak: limits.peak})
    .filter(([, y]) => y && y < 3 * high);
  const y0 = low * 1.08, y1 = Math.max(high, ...shown.map(([, y]) => y)) * 1.08;
  const px = x => LEFT + (x - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT);
  const py = y => HEIGHT - BOTTOM - (y - y0) / (y1 - y0) * (HEIGHT - BOTTOM - TOP);
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  for (const x of ticks(x0, x1)) {
    line(svg, `M${px(x)} ${HEIGHT - BOTTOM}V${TOP}`, "grid");
    word(svg, number(x), px(x), HEIGHT - BOTTOM + 14, "middle");
  }
  for (const y of ticks(y0, y1)) {
    line(svg, `M${LEFT} ${py(y)}H${WIDTH - RIGHT}`, "grid");
    word(svg, number(y), LEFT - 5, py(y) + 4, "end");
  }
  for (const [name, y] of shown) {
    line(svg, `M${LEFT} ${py(y)}H${WIDTH - RIGHT}`, name);
    word(svg, name, WIDTH - RIGHT, py(y) - 4, "end");
  }
  for (const one of curves) {
    const points = one.x.map((x, k) => `${px(x).toFixed(2)} ${py(one.y[k]).toFixed(2)}`);
    line(svg, `M${points.join("L")}`, one.kind);
  }
  word(svg, labels[0], (LEFT + WIDTH) / 2, HEIGHT - 6, "middle");
  const middle = (HEIGHT - BOTTOM) / 2;
  word(svg, labels[1], 13, middle, "middle").setAttribute("transform", `rotate(-90 13 ${middle})`);
}

function ticks(low, high) {
  const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find(m => m * power >= raw) || 10), found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) found.push(k * step);
  return found;
}

function number(x) { return String(Number(x.toPrecision(3))); }

function line(svg, path, kind) {
  const one = document.createElementNS(SVG, "path");
  one.setAttribute("d", path);
  one.setAttribute("class", kind);
  svg.append(one);
}

function word(svg, content, x, y, anchor) {
  const one = document.createElementNS(SVG, "text");
  one.textContent = content;
  one.setAttribute("x", x);
  one.setAttribute("y", y);
  one.setAttribute("text-anchor", anchor);
  svg.append(one);
  return one;
}
})();
"""
"""Independent of the robot; it sets texts only through `textContent`."""

RUNNING_STYLE = """
#running-sliders label { display: grid; grid-template-columns: 16rem 1fr 8rem; gap: 0.6rem; align-items: center; }
#running-sliders output { text-align: right; font-variant-numeric: tabular-nums; }
.running { display: flex; flex-wrap: wrap; gap: 1rem; } .running svg { flex: 1 1 24rem; background: #fff; }
.running path { fill: none; stroke: #2e86ab; stroke-width: 1.8; } .running .before { stroke: #aaa; stroke-width: 1.2; }
.running .grid { stroke: #e4e4e4; stroke-width: 1; } .running .continuous { stroke: #1a6b35; stroke-dasharray: 6 3; }
.running .peak { stroke: #a3201d; stroke-dasharray: 7 3 2 3; } .running text { font-size: 11px; fill: #333; }
td.over { color: #a3201d; font-weight: 600; }
@media print { .interactive { display: none; } }
"""
