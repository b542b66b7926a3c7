// Collects labeled moments of a recording for the state of a thing, and trains its labeler. The zones are those of drawing.js.
"use strict";

const choice = part("state-zone");
// The labels of moments by their numbers, and the box in which they were found.
let answers = new Map();
let region = null;

const zones = () => shapes.filter((shape) => shape.kind === "zone");

// The box around a zone: x, y, width, height.
const boxOf = (shape) => {
  const [xs, ys] = [0, 1].map((axis) => shape.points.map((point) => point[axis]));
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return [x, y, Math.max(...xs) - x, Math.max(...ys) - y];
};

const report = (text) => { part("state-status").textContent = text; };

const labels = () => [...new Set(part("state-labels").value.split(",").map((label) => label.trim()).filter((label) => label !== ""))];

const listZones = () => {
  const names = zones().map((shape) => shape.name);
  if (JSON.stringify(names) === choice.dataset.names) return;
  choice.dataset.names = JSON.stringify(names);
  const before = choice.value;
  choice.replaceChildren(...names.map((name) => new Option(name, name)));
  if (names.includes(before)) choice.value = before;
  part("find").disabled = names.length === 0;
};

const post = async (path, value) => {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
};

const count = () => {
  const named = new Set(answers.values());
  part("train").disabled = named.size < 2;
  part("train").textContent = answers.size === 0 ? "Train" : `Train with ${answers.size} moment${answers.size === 1 ? "" : "s"}`;
};

// A card: the picture, its time, and a button for each label.
const card = (moment, names) => {
  const made = document.createElement("li");
  made.dataset.moment = moment.id;
  const picture = Object.assign(document.createElement("img"), { src: `/moments/${moment.id}.jpg?${region}`, alt: `The zone at ${moment.time}`, width: 224, height: 224 });
  const time = Object.assign(document.createElement("p"), { className: "minor", textContent: moment.time });
  const group = document.createElement("div");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", `Label at ${moment.time}`);
  group.append(...names.map((name) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: name });
    button.dataset.label = name;
    button.setAttribute("aria-pressed", String(answers.get(moment.id) === name));
    button.addEventListener("click", () => choose(made, name));
    return button;
  }));
  made.append(picture, time, group);
  return made;
};

// A second click takes a label back.
const choose = (made, name) => {
  const id = Number(made.dataset.moment);
  if (answers.get(id) === name) answers.delete(id);
  else answers.set(id, name);
  for (const button of made.querySelectorAll("button")) button.setAttribute("aria-pressed", String(answers.get(id) === button.dataset.label));
  count();
};

const showMoments = (moments) => {
  const names = labels();
  part("moments").replaceChildren(...moments.map((moment) => card(moment, names)));
  part("lesson").hidden = moments.length === 0;
  count();
};

const show = (progress) => {
  const percent = `${Math.round(progress.done * 100)} %`;
  if (progress.stage === "reading") report(`The recording is read: ${percent}`);
  else if (progress.stage === "training") report(`The labeler is trained: ${percent}`);
  else report(progress.message);
  part("learned").hidden = progress.stage !== "trained";
  part("figures").replaceChildren(...progress.figures.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  part("state-yaml").textContent = progress.yaml;
  const isBusy = progress.stage === "reading" || progress.stage === "training";
  part("find").disabled = isBusy || zones().length === 0;
  part("more").disabled = isBusy;
  if (isBusy) part("train").disabled = true; else count();
  return isBusy;
};

// Shows the progress until the step is done.
const follow = async (start) => {
  try {
    let progress = await start;
    while (show(progress)) {
      await new Promise((done) => setTimeout(done, 300));
      progress = await (await fetch("/progress")).json();
    }
    return progress;
  } catch {
    report("The command does not answer; perhaps it has ended.");
    return null;
  }
};

const find = async (more) => {
  const shape = zones().find((shape) => shape.name === choice.value);
  if (!shape) return report("Draw a zone around the thing first.");
  if (!/^[A-Za-z0-9_-]+$/.test(shape.name)) return report(`Name the zone after the thing, with English letters, digits, - and _: "${shape.name}" becomes the name of a folder.`);
  if (labels().length < 2) return report("Write at least two labels, such as closed, open.");
  if (!more) answers = new Map();
  region = boxOf(shape);
  const progress = await follow(post("/moments", { region, more }));
  if (progress) showMoments(progress.stage === "ready" ? progress.moments : []);
};

part("states-form").addEventListener("submit", (event) => {
  event.preventDefault();
  find(false);
});
part("more").addEventListener("click", () => find(true));
part("train").addEventListener("click", () => {
  follow(post("/train", { name: choice.value, labels: Object.fromEntries(answers) }));
});

// In a card, the keys 1, 2, … choose a label and continue with the next moment.
part("moments").addEventListener("keydown", (event) => {
  const made = event.target.closest("[data-moment]");
  const button = made?.querySelectorAll("button")[Number(event.key) - 1];
  if (!button || event.ctrlKey || event.metaKey || event.altKey) return;
  choose(made, button.dataset.label);
  (made.nextElementSibling?.querySelector("button") ?? button).focus();
  event.preventDefault();
});

new MutationObserver(listZones).observe(part("list"), { childList: true, subtree: true, attributes: true });
part("list").addEventListener("input", listZones);
listZones();
