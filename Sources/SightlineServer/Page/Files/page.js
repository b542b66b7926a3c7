// The page that tries the server. It talks to /v1/models, /v1/detect and /v1/label alone.
const at = (id) => document.getElementById(id);
let models = [];

function request(path, options = {}) {
  const token = at("token").value;
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  return fetch(path, { ...options, headers: { ...headers, ...options.headers } });
}

function say(text, isError = false) {
  at("status").textContent = text;
  at("status").classList.toggle("error", isError);
}

async function loadModels() {
  const response = await request("v1/models");
  if (response.status === 401) {
    at("token-field").hidden = false;
    say("This server needs its token.");
    return;
  }
  models = (await response.json()).models.filter((model) => model.version);
  at("model").replaceChildren(...models.map((model) => new Option(`${model.name} (${model.kind})`, model.name)));
  say("");
  showCommand();
}

function target() {
  const model = models.find((model) => model.name === at("model").value);
  const query = new URLSearchParams();
  if (model) query.set("model", model.name);
  if (at("threshold").value) query.set("threshold", at("threshold").value);
  return `v1/${model?.kind === "labeling" ? "label" : "detect"}?${query}`;
}

function showCommand() {
  const token = at("token-field").hidden ? "" : '-H "Authorization: Bearer $TOKEN" ';
  at("command").textContent = `curl ${token}--data-binary @photo.jpg "${new URL(target(), location.href)}"`;
}

function draw(answer) {
  const boxes = at("boxes");
  boxes.setAttribute("viewBox", `0 0 ${answer.width} ${answer.height}`);
  const size = Math.max(answer.width, answer.height) / 50;
  const shape = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  boxes.replaceChildren(
    ...(answer.objects ?? []).flatMap(({ frame, labels }) => {
      const text = shape("text", { x: frame.x + size / 4, y: frame.y + size, "font-size": size });
      text.textContent = labels[0]?.text ?? "";
      return [shape("rect", frame), text];
    }),
  );
}

function list(answer) {
  const percent = (value) => `${Math.round(value * 100)} %`;
  const rows = answer.objects
    ? answer.objects.map((object) => [
        object.labels.map((label) => label.text || `class ${label.index}`).join(", ") || "object",
        percent(object.confidence),
        ["x", "y", "width", "height"].map((key) => Math.round(object.frame[key])).join(", "),
      ])
    : answer.labels.map((label) => [label.text || `class ${label.index}`, percent(label.confidence), ""]);
  at("results").tBodies[0].replaceChildren(
    ...rows.map((cells) => {
      const row = document.createElement("tr");
      row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
      return row;
    }),
  );
  at("results").hidden = rows.length === 0;
}

let photo;
async function ask(file = photo) {
  if (!file) return;
  photo = file;
  URL.revokeObjectURL(at("photo").src);
  at("photo").src = URL.createObjectURL(file);
  at("figure").hidden = false;
  at("boxes").replaceChildren();
  at("results").hidden = true;
  showCommand();
  say("…");
  try {
    const response = await request(target(), { method: "POST", body: file, headers: { "content-type": "image/*" } });
    const answer = await response.json();
    if (!response.ok) {
      if (response.status === 401) at("token-field").hidden = false;
      say(answer.error, true);
      return;
    }
    draw(answer);
    list(answer);
    const count = (answer.objects ?? answer.labels).length;
    const kind = answer.objects ? "object" : "label";
    say(`${count} ${kind}${count === 1 ? "" : "s"} in ${Math.round(answer.milliseconds.total)} ms, by ${answer.model} ${answer.version}`);
  } catch (error) {
    say(`The server does not answer: ${error.message}`, true);
  }
}

at("file").addEventListener("change", () => ask(at("file").files[0]));
for (const id of ["model", "threshold"]) at(id).addEventListener("change", () => (showCommand(), ask()));
at("token").addEventListener("change", loadModels);
const drop = at("drop");
drop.addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  ask(event.dataTransfer.files[0]);
});
loadModels().catch((error) => say(`The server does not answer: ${error.message}`, true));
