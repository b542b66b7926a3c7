// Draws and corrects the boxes of a photo. Coordinates are pixels of the photo.
"use strict";

const editor = document.querySelector("[data-box-editor]");
const board = editor.querySelector("[data-board]");
const shapes = editor.querySelector("[data-shapes]");
const list = editor.querySelector("[data-box-list]");
const form = editor.querySelector("[data-box-form]");
const edges = editor.querySelector("[data-edges]");
const isEditable = "editable" in editor.dataset;
const size = { width: Number(editor.dataset.width), height: Number(editor.dataset.height) };
const find = (selector) => editor.querySelector(selector);

// A box is { label, x, y, width, height, isGroup, confidence, isProposal }.
const known = (text, isProposal) => (text ? JSON.parse(text) : []).map((box) => ({ ...box, isProposal }));
let boxes = [...known(editor.dataset.boxes, false), ...known(editor.dataset.proposals, true)];
let chosen = null;
let label = "";
let history = [];
let isSaved = true;

const say = (text) => { find("[data-box-status]").textContent = text; };
const names = () => [...new Set(boxes.filter((box) => box.label).map((box) => box.label))].sort();
const state = () => JSON.stringify(boxes);
const remember = () => { history.push(state()); isSaved = false; };
const title = (box) => `${box.label || "No label"}${box.isGroup ? " (group)" : ""}${box.isProposal ? `, proposal ${Math.round(100 * (box.confidence || 0))}\u00a0%` : ""}`;
const place = (box) => `${Math.round(box.x)}, ${Math.round(box.y)}, ${Math.round(box.width)} × ${Math.round(box.height)}`;
const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

// Pixels of the photo in a pixel of the page. The photo keeps its proportions, and may leave room at its sides.
const scale = () => {
  const frame = board.getBoundingClientRect();
  return Math.min(frame.width / size.width, frame.height / size.height) || 1;
};
const pointOf = (event) => {
  const frame = board.getBoundingClientRect(), one = scale();
  const inside = (at, start, room, length) => clamp((at - start - (room - length * one) / 2) / one, 0, length);
  return [inside(event.clientX, frame.left, frame.width, size.width), inside(event.clientY, frame.top, frame.height, size.height)];
};

const element = (name, attributes, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const corners = [["nw", 0, 0], ["ne", 1, 0], ["se", 1, 1], ["sw", 0, 1]];

const draw = () => {
  const one = 1 / scale(), all = names();
  const focused = shapes.contains(document.activeElement) || list.contains(document.activeElement) ? document.activeElement.dataset : null;
  const [kind, index] = focused ? [focused.part, focused.index] : [];
  shapes.replaceChildren(...boxes.map((box, index) => {
    const color = Math.max(all.indexOf(box.label), 0) % 6;
    const group = element(
      "g", { class: `drawn-box color-${color}${box.isProposal ? " is-proposal" : ""}${index === chosen ? " is-chosen" : ""}`, "data-index": index, "data-part": "shape" },
      element("rect", { class: "box-under", x: box.x, y: box.y, width: box.width, height: box.height }),
      element("rect", { class: "box-found", x: box.x, y: box.y, width: box.width, height: box.height }),
    );
    if (box.label) {
      // The plate is about as wide as the text.
      group.append(element(
        "g", { class: "plate" },
        element("rect", { x: box.x, y: box.y, width: (8 * box.label.length + 8) * one, height: 17 * one }),
        element("text", { x: box.x + 4 * one, y: box.y + 13 * one, "font-size": 12 * one }, box.label),
      ));
    }
    if (isEditable) {
      for (const [key, value] of Object.entries({ tabindex: "0", role: "button", "aria-pressed": String(index === chosen), "aria-label": `${title(box)}: ${place(box)}` })) group.setAttribute(key, value);
      if (index === chosen) {
        for (const [corner, x, y] of corners) {
          group.append(element("circle", { class: "box-corner", "data-corner": corner, cx: box.x + x * box.width, cy: box.y + y * box.height, r: 6 * one }));
        }
      }
    }
    return group;
  }));
  list.replaceChildren(...boxes.map((box, index) => {
    const row = document.createElement("li");
    row.className = index === chosen ? "is-chosen" : "";
    const text = document.createElement(isEditable ? "button" : "span");
    text.textContent = title(box);
    row.append(text);
    if (isEditable) {
      Object.assign(text, { type: "button", className: "plain-button" });
      Object.assign(text.dataset, { index, part: "row" });
      text.setAttribute("aria-pressed", String(index === chosen));
      text.addEventListener("click", () => choose(index));
      const add = (name, act) => {
        const button = Object.assign(document.createElement("button"), { type: "button", className: "button button-small", textContent: name });
        button.setAttribute("aria-label", `${name} ${title(box)}, box ${index + 1}`);
        Object.assign(button.dataset, { index, part: name });
        button.addEventListener("click", () => act(index));
        row.append(button);
      };
      if (box.isProposal) add("Accept", accept);
      add("Remove", remove);
    }
    return row;
  }));
  find("[data-no-boxes]").hidden = boxes.length > 0;
  if (!isEditable) return;
  const current = chosen === null ? label : boxes[chosen].label;
  for (const button of editor.querySelectorAll("[data-label-choice]")) button.setAttribute("aria-pressed", String(button.dataset.labelChoice === current));
  edges.disabled = chosen === null;
  for (const input of edges.querySelectorAll("input")) {
    if (input !== document.activeElement) input.value = chosen === null ? "" : Math.round(boxes[chosen][input.dataset.edge]);
  }
  find("[data-undo]").disabled = history.length === 0;
  find("[data-accept]").hidden = !boxes.some((box) => box.isProposal);
  if (kind) [...editor.querySelectorAll(`[data-part="${kind}"]`)].find((one) => one.dataset.index === index)?.focus({ preventScroll: true });
};

const choose = (index) => {
  chosen = index;
  draw();
};

const remove = (index) => {
  remember();
  say(`${title(boxes[index])} is removed; Undo brings it back.`);
  boxes.splice(index, 1);
  chosen = null;
  draw();
  const next = shapes.children[Math.min(index, boxes.length - 1)];
  (next || find("[data-new-box]")).focus({ preventScroll: true });
};

const accept = (index) => {
  const box = boxes[index];
  if (!box.isProposal) return;
  remember();
  box.isProposal = false;
  delete box.confidence;
  if (!box.label) box.label = label;
  say(box.label ? `${box.label} is accepted.` : "The box is accepted; give it a label.");
  choose(index);
};

const setLabel = (name) => {
  label = name;
  if (chosen !== null) {
    remember();
    boxes[chosen].label = name;
    // A person who names a proposal means it.
    boxes[chosen].isProposal = false;
    delete boxes[chosen].confidence;
    say(`The box is ${name} now.`);
  } else {
    say(`New boxes are ${name}.`);
  }
  addChoice(name);
  draw();
};

// Another label gets a button, too.
const addChoice = (name) => {
  const place = find("[data-box-labels]");
  const all = [...place.querySelectorAll("[data-label-choice]")];
  if (all.some((button) => button.dataset.labelChoice === name)) return;
  const button = Object.assign(document.createElement("button"), { type: "button", className: "button button-small" });
  button.dataset.labelChoice = name;
  button.setAttribute("aria-pressed", "false");
  if (all.length < 9) button.append(Object.assign(document.createElement("kbd"), { textContent: String(all.length + 1) }), " ");
  button.append(name);
  button.addEventListener("click", () => setLabel(name));
  place.append(button);
};

const add = (box) => {
  boxes.push({ label, isProposal: false, ...box });
  choose(boxes.length - 1);
  say(label ? `${label} is drawn.` : "Choose a label for the box.");
};

// Moves a box, or an edge of it, inside the photo.
const change = (box, edge, value) => {
  if (edge === "x" || edge === "y") {
    const length = edge === "x" ? "width" : "height";
    box[edge] = clamp(value, 0, size[length] - box[length]);
  } else {
    box[edge] = clamp(value, 1, size[edge] - box[edge === "width" ? "x" : "y"]);
  }
};

if (isEditable) {
  // Drag: a new box, a whole box, or a corner of the chosen one.
  let drag = null;
  board.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const [x, y] = pointOf(event);
    const group = event.target.closest(".drawn-box");
    const corner = event.target.dataset.corner;
    const index = group ? Number(group.dataset.index) : null;
    event.preventDefault();
    board.setPointerCapture(event.pointerId);
    if (index !== null) {
      choose(index);
      drag = { index, corner, x, y, before: { ...boxes[index] }, earlier: state() };
      shapes.children[index].focus({ preventScroll: true });
    } else {
      drag = { isNew: true, x, y };
    }
  });
  board.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [x, y] = pointOf(event);
    const near = 4 / scale();
    if (drag.isNew && (Math.abs(x - drag.x) > near || Math.abs(y - drag.y) > near)) {
      remember();
      boxes.push({ label, isProposal: false, x: drag.x, y: drag.y, width: 1, height: 1 });
      chosen = boxes.length - 1;
      drag = { index: chosen, corner: "free", x: drag.x, y: drag.y, before: { x: drag.x, y: drag.y, width: 0, height: 0 }, hasMoved: true };
    }
    if (drag.isNew) return;
    const box = boxes[drag.index], before = drag.before;
    if (!drag.hasMoved) {
      if (Math.abs(x - drag.x) < near && Math.abs(y - drag.y) < near) return;
      history.push(drag.earlier);
      drag.hasMoved = true;
      isSaved = false;
    }
    if (drag.corner) {
      const right = drag.corner === "free" || drag.corner.endsWith("e"), low = drag.corner === "free" || drag.corner.startsWith("s");
      const fixed = [right ? before.x : before.x + before.width, low ? before.y : before.y + before.height];
      Object.assign(box, { x: Math.min(fixed[0], x), y: Math.min(fixed[1], y), width: Math.max(Math.abs(x - fixed[0]), 1), height: Math.max(Math.abs(y - fixed[1]), 1) });
    } else {
      change(box, "x", before.x + x - drag.x);
      change(box, "y", before.y + y - drag.y);
    }
    draw();
  });
  const drop = () => {
    if (drag && drag.isNew && chosen !== null) choose(null);
    if (drag && drag.hasMoved) {
      const box = boxes[drag.index];
      say(box.label ? `${box.label}: ${place(box)}` : "Choose a label for the box.");
      shapes.children[drag.index].focus({ preventScroll: true });
    }
    drag = null;
  };
  board.addEventListener("pointerup", drop);
  board.addEventListener("pointercancel", drop);

  shapes.addEventListener("focusin", (event) => {
    const group = event.target.closest(".drawn-box");
    if (group && !drag && chosen !== Number(group.dataset.index)) choose(Number(group.dataset.index));
  });
  shapes.addEventListener("keydown", (event) => {
    const group = event.target.closest(".drawn-box");
    if (!group || event.ctrlKey || event.metaKey || event.altKey) return;
    const index = Number(group.dataset.index), box = boxes[index];
    const step = Math.max(1, Math.round(2 / scale()));
    const way = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (way) {
      remember();
      const [x, y] = event.shiftKey ? ["width", "height"] : ["x", "y"];
      change(box, x, box[x] + way[0]);
      change(box, y, box[y] + way[1]);
      say(place(box));
      draw();
    } else if (event.key === "Delete" || event.key === "Backspace") {
      remove(index);
    } else if (event.key === "Enter" || event.key === " ") {
      if (box.isProposal) accept(index);
    } else if (event.key === "Escape") {
      choose(null);
      find("[data-new-box]").focus();
    } else {
      return;
    }
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input")) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
      event.preventDefault();
      undo();
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey && /^[1-9]$/.test(event.key)) {
      const button = editor.querySelectorAll("[data-label-choice]")[Number(event.key) - 1];
      if (button) setLabel(button.dataset.labelChoice);
    }
  });

  const undo = () => {
    const last = history.pop();
    if (last === undefined) return;
    boxes = JSON.parse(last);
    chosen = null;
    say("The last step is taken back.");
    draw();
  };
  find("[data-undo]").addEventListener("click", undo);
  find("[data-new-box]").addEventListener("click", () => {
    remember();
    add({ x: size.width * .35, y: size.height * .35, width: size.width * .3, height: size.height * .3 });
    shapes.children[chosen].focus({ preventScroll: true });
  });
  find("[data-accept]").addEventListener("click", () => {
    remember();
    for (const box of boxes.filter((box) => box.isProposal)) {
      box.isProposal = false;
      delete box.confidence;
      if (!box.label) box.label = label;
    }
    say("All proposals are accepted. Give a label to those without one.");
    draw();
  });
  for (const button of editor.querySelectorAll("[data-label-choice]")) button.addEventListener("click", () => setLabel(button.dataset.labelChoice));
  find("[data-new-label]").addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
  find("[data-new-label]").addEventListener("change", (event) => {
    const name = event.target.value.trim();
    event.target.value = "";
    if (name) setLabel(name);
  });
  for (const input of edges.querySelectorAll("input")) {
    input.addEventListener("change", () => {
      if (chosen === null || input.value === "") return draw();
      remember();
      change(boxes[chosen], input.dataset.edge, Number(input.value));
      draw();
    });
  }
  form.addEventListener("submit", (event) => {
    const error = find("[data-box-error]");
    const isForgotten = event.submitter && event.submitter.value === "forget";
    const nameless = boxes.findIndex((box) => !box.isProposal && !box.label);
    if (nameless >= 0 && !isForgotten) {
      event.preventDefault();
      error.textContent = `Box ${nameless + 1} has no label; choose one, or remove the box.`;
      error.hidden = false;
      return choose(nameless);
    }
    form.elements.boxes.value = JSON.stringify(boxes.filter((box) => !box.isProposal).map(({ isProposal, ...box }) => box));
    isSaved = true;
  });
  addEventListener("beforeunload", (event) => { if (!isSaved) event.preventDefault(); });
}

// Where nobody has drawn boxes, the hub lets a detector propose some.
if (editor.dataset.propose) {
  say("Looking for things …");
  fetch(editor.dataset.propose, { headers: { Accept: "application/json" } })
    .then((reply) => reply.ok ? reply.json() : Promise.reject(new Error("refused")))
    .then((answer) => {
      boxes.push(...answer.proposals.map((box) => ({ ...box, isProposal: true })));
      say(answer.proposals.length === 0 ? "No thing is proposed; draw the boxes." : "The dashed boxes are proposals: accept those that are right, with a label.");
      draw();
    })
    .catch(() => say("No proposals can be had; draw the boxes."));
}
new ResizeObserver(draw).observe(board);
draw();
