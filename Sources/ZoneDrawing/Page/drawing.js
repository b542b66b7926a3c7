// Draws lines and zones on a frame, and writes them as options and as YAML. Coordinates are whole pixels of the frame.
"use strict";

const svg = document.getElementById("picture");
// The picture with a margin, in which a click means the edge of the frame.
const board = svg.parentElement;
const size = { width: Number(svg.dataset.width), height: Number(svg.dataset.height) };
const part = (id) => document.getElementById(id);

// The state

// A shape is { kind: "line" or "zone", name, color, points: [[x, y], …] }.
let shapes = [];
// The points of a shape that is not complete.
let draft = [];
let kind = "line";
// Earlier states, as JSON.
let history = [];
// The place of the mouse while a shape is drawn.
let hover = null;

const remember = () => { history.push(JSON.stringify({ shapes, draft, kind })); };

const say = (text) => { part("status").textContent = text; };

const freeName = (kind) => {
  for (let number = 1; ; number += 1) {
    const name = `${kind} ${number}`;
    if (!shapes.some((shape) => shape.name === name)) return name;
  }
};

const freeColor = () => {
  const uses = [0, 0, 0, 0, 0, 0];
  for (const shape of shapes) uses[shape.color] += 1;
  return uses.indexOf(Math.min(...uses));
};

const isSame = (one, other) => one[0] === other[0] && one[1] === other[1];

const finish = () => {
  const shape = { kind, name: freeName(kind), color: freeColor(), points: draft };
  shapes.push(shape);
  draft = [];
  hover = null;
  say(`${shape.name} is drawn${kind === "line" ? "; the arrow shows “in”" : ""}. You can name it and drag its corners.`);
};

const closeZone = () => {
  if (kind !== "zone" || draft.length === 0) return;
  if (draft.length < 3) return say("A zone has at least three corners; click one more.");
  remember();
  finish();
  build();
};

const undo = () => {
  const last = history.pop();
  if (last === undefined) return;
  ({ shapes, draft, kind } = JSON.parse(last));
  hover = null;
  say("The last step is taken back.");
  build();
};

const addPoint = (point) => {
  // The second click of a double click, and a click on the first corner.
  const isNear = (other) => Math.hypot(point[0] - other[0], point[1] - other[1]) <= 9 * unit();
  if (draft.length > 0 && isNear(draft.at(-1))) return closeZone();
  if (kind === "zone" && draft.length >= 3 && isNear(draft[0])) return closeZone();
  remember();
  draft.push(point);
  if (kind === "line" && draft.length === 2) finish();
  else if (kind === "line") say("Click the end of the line.");
  else if (draft.length < 3) say("Click the next corner.");
  else say("Click the next corner, or close the zone: double click, Enter, or click the first corner.");
  build();
};

const insert = () => {
  remember();
  const at = (x, y) => [Math.round(size.width * x), Math.round(size.height * y)];
  draft = kind === "line" ? [at(.5, .3), at(.5, .7)] : [at(.35, .35), at(.65, .35), at(.65, .65), at(.35, .65)];
  finish();
  build();
  corner(shapes.length - 1, 0).focus();
};

const remove = (index) => {
  remember();
  say(`${shapes[index].name} is deleted; Undo brings it back.`);
  shapes.splice(index, 1);
  build();
};

const turn = (index) => {
  remember();
  shapes[index].points.reverse();
  say(`“In” of ${shapes[index].name} is on the other side now.`);
  build();
};

// Moves a corner; a line keeps two different ends.
const move = (index, number, [x, y]) => {
  const shape = shapes[index];
  const point = [Math.min(Math.max(x, 0), size.width), Math.min(Math.max(y, 0), size.height)];
  if (shape.kind === "line" && isSame(point, shape.points[1 - number])) return;
  shape.points[number] = point;
  place();
};

const removeCorner = (index, number) => {
  if (shapes[index].points.length <= 3) return remove(index);
  remember();
  shapes[index].points.splice(number, 1);
  say(`A corner of ${shapes[index].name} is removed.`);
  build();
  corner(index, Math.min(number, shapes[index].points.length - 1)).focus();
};

// Texts

const cornersText = (points) => points.map((point) => point.join(",")).join(" ");

// The value of an option without its name.
const valueText = (shape) => shape.kind === "line" ? shape.points.flat().join(",") : cornersText(shape.points);

const quoted = (word) => /^[\w.,=:@%+\/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

const commandText = () => shapes.map((shape) => `--${shape.kind} ${quoted(`${shape.name}=${valueText(shape)}`)}`).join(" ");

// JSON's strings are strings of YAML. Words such as yes and null would not be names without quotes.
const keyText = (name) => /^[A-Za-z][\w-]*$/.test(name) && !/^(y|n|yes|no|true|false|on|off|null)$/i.test(name) ? name : JSON.stringify(name);

const yamlText = () => ["line", "zone"].flatMap((kind) => {
  const entries = shapes.filter((shape) => shape.kind === kind);
  return entries.length === 0 ? [] : [`${kind}:`, ...entries.map((shape) => `  ${keyText(shape.name)}: "${valueText(shape)}"`)];
}).join("\n");

const write = () => {
  part("command").textContent = commandText() || "Draw a line or a zone.";
  part("yaml").textContent = yamlText() || "Draw a line or a zone.";
  for (const button of document.querySelectorAll("[data-copy]")) button.disabled = shapes.length === 0;
};

// The picture

// The pixels of the page in a pixel of the frame. The frame keeps its proportions, and may leave room at its sides.
const scaleIn = (box) => Math.min(box.width / size.width, box.height / size.height) || 1;

// The pixels of the frame in a pixel of the page.
const unit = () => 1 / scaleIn(svg.getBoundingClientRect());

const element = (name, attributes, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const path = (points, isClosed) => points.length === 0 ? "" : `M${points.map((point) => point.join(" ")).join("L")}${isClosed ? "Z" : ""}`;

// An arrow to the right of the way from the first to the second point, or from the other side where it would leave the frame.
const arrow = ([[x1, y1], [x2, y2]]) => {
  const length = Math.hypot(x2 - x1, y2 - y1), one = unit();
  const [x, y] = [-(y2 - y1) / length, (x2 - x1) / length];
  const at = (along, aside) => [(x1 + x2) / 2 + (x * along + y * aside) * one, (y1 + y2) / 2 + (y * along - x * aside) * one];
  const isInside = (point) => point[0] >= 0 && point[0] <= size.width && point[1] >= 0 && point[1] <= size.height;
  const start = isInside(at(48, 0)) ? 6 : -52;
  const [tail, tip] = [start, start + 28];
  return { drawing: path([at(tail, 0), at(tip, 0)]) + path([at(tip - 8, -7), at(tip, 0), at(tip - 8, 7)]), label: at(start > 0 ? tip + 12 : tail - 12, 0) };
};

const corner = (index, number) => part("shapes").querySelector(`[data-shape="${index}"][data-corner="${number}"]`);

// Makes the elements for all shapes, and keeps the focus where it is.
const build = () => {
  const focused = document.activeElement?.closest("[data-shape]");
  const key = focused && [focused.dataset.shape, focused.dataset.corner, focused.dataset.part];
  part("shapes").replaceChildren(...shapes.map((shape, index) => element(
    "g", { class: `color-${shape.color}` },
    element("path", { class: "halo" }),
    element("path", { class: shape.kind === "zone" ? "stroke area" : "stroke" }),
    element("text", { class: "name" }),
    ...(shape.kind === "line" ? [element("path", { class: "halo in" }), element("path", { class: "stroke in" }), element("text", { class: "in" }, "in")] : []),
    ...shape.points.map((_, number) => element(
      "g", { class: "corner", tabindex: "0", role: "button", "aria-roledescription": "corner", "data-shape": index, "data-corner": number },
      element("circle", { class: "reach" }), element("circle", { class: "dot" }),
    )),
  )));
  part("list").replaceChildren(...shapes.map(row));
  part("none").hidden = shapes.length > 0;
  for (const button of document.querySelectorAll("[data-kind]")) button.setAttribute("aria-pressed", String(button.dataset.kind === kind));
  part("insert").textContent = `Put a ${kind} in the middle`;
  part("close").disabled = kind !== "zone" || draft.length < 3;
  svg.classList.toggle("drawing", draft.length > 0);
  place();
  if (!key) return;
  const same = [...document.querySelectorAll("[data-shape]")].find((one) => one.dataset.shape === key[0] && one.dataset.corner === key[1] && one.dataset.part === key[2]);
  same?.focus();
};

// A row of the list: the name, and what can be done with the shape.
const row = (shape, index) => {
  const made = document.createElement("li");
  made.className = `color-${shape.color}`;
  const add = (tag, properties) => {
    const child = Object.assign(document.createElement(tag), properties);
    made.append(child);
    return child;
  };
  add("span", { className: "swatch" });
  const input = add("input", { id: `name-${index}`, value: shape.name, maxLength: 60, autocomplete: "off", spellcheck: false });
  input.setAttribute("aria-label", `Name of this ${shape.kind}`);
  const button = (text, part, act) => {
    const made = add("button", { type: "button", textContent: text });
    made.setAttribute("aria-label", `${text} ${shape.name}`);
    Object.assign(made.dataset, { shape: index, part });
    made.addEventListener("click", () => act(index));
    return made;
  };
  if (shape.kind === "line") button("Turn", "turn", turn).title = "Put “in” on the other side";
  button("Delete", "delete", remove);
  add("p", { className: "where minor" });
  const wrong = add("p", { className: "wrong", id: `wrong-${index}`, hidden: true });
  wrong.setAttribute("role", "alert");
  input.setAttribute("aria-describedby", wrong.id);
  input.addEventListener("input", () => rename(index, input, wrong));
  // A name that cannot be used gives way to the last one that can.
  input.addEventListener("change", () => { input.value = shape.name; rename(index, input, wrong); });
  input.addEventListener("focus", () => { input.dataset.before = shape.name; });
  return made;
};

const rename = (index, input, wrong) => {
  const name = input.value.trim();
  const problem = name === "" ? "Write a name."
    : /[\p{Cc}\p{Cs}]/u.test(name) ? "A name has no control characters."
    : shapes.some((shape, other) => other !== index && shape.name === name) ? "Another line or zone has this name." : "";
  input.setAttribute("aria-invalid", String(problem !== ""));
  wrong.hidden = problem === "";
  wrong.textContent = problem && `${problem} Until then it is ${shapes[index].name}.`;
  if (problem || shapes[index].name === name) return;
  // All letters that are typed at a time are one step.
  if (input.dataset.before !== undefined) remember();
  delete input.dataset.before;
  shapes[index].name = name;
  for (const button of input.parentElement.querySelectorAll("button")) button.setAttribute("aria-label", `${button.textContent} ${name}`);
  place();
};

// Puts all elements where they belong.
const place = () => {
  const one = unit();
  const put = (label, [x, y], text) => {
    // About half the width of the text, which stays in the frame.
    const half = 4 * one * (text.length + 1);
    label.setAttribute("x", Math.min(Math.max(x, half), Math.max(size.width - half, half)));
    label.setAttribute("y", Math.min(Math.max(y, 16 * one), size.height - 6 * one));
    label.setAttribute("font-size", 13 * one);
    label.setAttribute("stroke-width", 3 * one);
  };
  shapes.forEach((shape, index) => {
    const group = part("shapes").children[index];
    const outline = path(shape.points, shape.kind === "zone");
    for (const drawn of group.querySelectorAll("path:not(.in)")) drawn.setAttribute("d", outline);
    const name = group.querySelector(".name");
    name.textContent = shape.name;
    const top = shape.points.reduce((best, point) => point[1] < best[1] ? point : best);
    const middle = [0, 1].map((axis) => shape.points.reduce((sum, point) => sum + point[axis], 0) / shape.points.length);
    put(name, shape.kind === "line" ? [top[0], top[1] - 14 * one] : middle, shape.name);
    if (shape.kind === "line") {
      const { drawing, label } = arrow(shape.points);
      for (const drawn of group.querySelectorAll("path.in")) drawn.setAttribute("d", drawing);
      put(group.querySelector("text.in"), [label[0], label[1] + 4 * one], "in");
    }
    shape.points.forEach(([x, y], number) => {
      const handle = corner(index, number);
      handle.setAttribute("aria-label", `${shape.name}, ${shape.kind === "line" ? "point" : "corner"} ${number + 1} of ${shape.points.length}: ${x}, ${y}`);
      for (const circle of handle.children) {
        circle.setAttribute("cx", x);
        circle.setAttribute("cy", y);
        circle.setAttribute("r", (circle.classList.contains("reach") ? 18 : 6) * one);
      }
    });
    part("list").children[index].querySelector(".where").textContent = `${shape.kind === "line" ? "Line" : "Zone"} ${cornersText(shape.points)}`;
  });
  const shown = hover ? [...draft, hover] : draft;
  part("draft").setAttribute("class", `color-${freeColor()}`);
  part("draft").replaceChildren(
    ...(draft.length === 0 ? [] : [
      element("path", { class: "halo", d: path(shown) }), element("path", { class: "stroke open", d: path(shown) }),
      ...draft.map(([cx, cy]) => element("g", { class: "corner" }, element("circle", { class: "dot", cx, cy, r: 5 * one }))),
    ]),
  );
  part("undo").disabled = history.length === 0;
  write();
};

// The mouse and fingers

const pointOf = (event) => {
  const box = svg.getBoundingClientRect();
  const scale = scaleIn(box);
  const inside = (place, start, room, length) => Math.min(Math.max(Math.round((place - start - (room - length * scale) / 2) / scale), 0), length);
  return [inside(event.clientX, box.left, box.width, size.width), inside(event.clientY, box.top, box.height, size.height)];
};

// The corner that is dragged: { index, number, before, hasMoved }.
let dragged = null;
let wasDragged = false;

board.addEventListener("pointerdown", (event) => {
  wasDragged = false;
  const handle = event.target.closest(".corner[data-shape]");
  if (!handle || event.button !== 0) return;
  const [index, number] = [Number(handle.dataset.shape), Number(handle.dataset.corner)];
  dragged = { index, number, pointer: event.pointerId, hasMoved: false };
  wasDragged = true;
  board.setPointerCapture(event.pointerId);
  handle.focus({ preventScroll: true });
  event.preventDefault();
});

board.addEventListener("pointermove", (event) => {
  if (dragged?.pointer === event.pointerId) {
    const point = pointOf(event);
    if (isSame(point, shapes[dragged.index].points[dragged.number])) return;
    if (!dragged.hasMoved) remember();
    dragged.hasMoved = true;
    move(dragged.index, dragged.number, point);
  } else if (draft.length > 0 && event.pointerType === "mouse") {
    hover = pointOf(event);
    place();
  }
});

// A finger on a corner moves the corner and not the page. Browsers know touch-action of parts of a drawing only in part.
board.addEventListener("touchstart", (event) => {
  if (event.target.closest(".corner[data-shape]")) event.preventDefault();
}, { passive: false });

const drop = (event) => {
  if (dragged?.pointer !== event.pointerId) return;
  const shape = shapes[dragged.index];
  if (dragged.hasMoved) say(`${shape.name}: the corner is at ${shape.points[dragged.number].join(", ")}.`);
  dragged = null;
};
board.addEventListener("pointerup", drop);
board.addEventListener("pointercancel", drop);
board.addEventListener("pointerleave", () => { if (hover) { hover = null; place(); } });

board.addEventListener("click", (event) => {
  // A click ends the drag of a corner, too.
  if (wasDragged) { wasDragged = false; return; }
  addPoint(pointOf(event));
});

// The keyboard

svg.addEventListener("keydown", (event) => {
  const handle = event.target.closest(".corner[data-shape]");
  if (!handle || event.ctrlKey || event.metaKey || event.altKey) return;
  const [index, number] = [Number(handle.dataset.shape), Number(handle.dataset.corner)];
  const step = event.shiftKey ? 10 : 1;
  const way = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
  if (way) {
    const [x, y] = shapes[index].points[number];
    remember();
    move(index, number, [x + way[0], y + way[1]]);
    // At the edge of the frame, nothing moves.
    if (isSame([x, y], shapes[index].points[number])) history.pop();
    say(shapes[index].points[number].join(", "));
  } else if (event.key === "Delete" || event.key === "Backspace") {
    removeCorner(index, number);
  } else {
    return;
  }
  event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input");
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z" && !isTyping) {
    event.preventDefault();
    undo();
  } else if (event.key === "Enter" && draft.length > 0 && !event.target.matches("button, input, a, summary")) {
    event.preventDefault();
    closeZone();
  } else if (event.key === "Escape" && draft.length > 0) {
    remember();
    draft = [];
    hover = null;
    say("What was not complete is gone; Undo brings it back.");
    build();
  }
});

// The buttons

for (const button of document.querySelectorAll("[data-kind]")) {
  button.addEventListener("click", () => {
    if (kind !== button.dataset.kind && draft.length > 0) remember();
    if (kind !== button.dataset.kind) { draft = []; hover = null; }
    kind = button.dataset.kind;
    say(kind === "line" ? "Click the beginning of a line in the picture." : "Click the first corner of a zone in the picture.");
    build();
  });
}
part("insert").addEventListener("click", insert);
part("close").addEventListener("click", closeZone);
part("undo").addEventListener("click", undo);

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = part(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      say("Copied.");
    } catch {
      // Without the right to write, the text is selected for Ctrl-C.
      getSelection().selectAllChildren(source);
      say("The browser does not let this page copy; the text is selected, press Ctrl-C.");
    }
  });
}

new ResizeObserver(place).observe(svg);
say("Click the beginning of a line in the picture, or choose Zone.");
build();
