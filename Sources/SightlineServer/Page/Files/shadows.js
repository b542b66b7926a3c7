// The page of shadows. It talks to /v1/shadows and the routes below it alone.
const at = (id) => document.getElementById(id);

function request(path, options = {}) {
  const token = at("token").value;
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  return fetch(path, { ...options, headers: { ...headers, ...options.headers } });
}

function make(name, text, ...children) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

const percent = (value) => `${value.toFixed(1)} %`;
const share = ({ count, percent: value, lower, upper }) =>
  count ? `${percent(value)} (${lower.toFixed(1)}–${upper.toFixed(1)}) of ${count.toLocaleString("en")}` : "–";

function table(comparison) {
  const rows = comparison.labels.slice(0, 100).map(({ label, share: part }) =>
    make("tr", undefined, make("td", label), make("td", share(part))));
  const head = make("tr", undefined, ...["Label", "Different answers"].map((text) => {
    const cell = make("th", text);
    cell.scope = "col";
    return cell;
  }));
  return make("table", undefined,
    make("caption", `Version ${comparison.servedVersion} answered, ${comparison.candidateVersion} unseen`),
    make("thead", undefined, head), make("tbody", undefined, ...rows));
}

function section(shadow) {
  const { same, different, failed, busy, full } = shadow.requests;
  const latest = shadow.comparisons[0];
  const parts = [make("h2", `${shadow.model} and ${shadow.shadow}`)];
  if (shadow.problem) parts.push(make("p", shadow.problem));
  parts.push(make("p", latest
    ? `The answers differ in ${share(latest.share)} requests.`
    : "No request was answered twice yet."));
  parts.push(make("p", `${shadow.samplePercent} % of the requests are drawn: ${same + different} compared, ${failed} failed, `
    + `${busy + full} skipped because the server had other work.`));
  parts.push(...shadow.comparisons.map(table));
  return make("section", undefined, ...parts);
}

async function picture(entry) {
  const names = (list) => list.join(", ") || "nothing";
  const item = make("li", undefined,
    make("p", `${entry.model}: ${names(entry.servedNames)}`),
    make("p", `Shadow: ${names(entry.candidateNames)}`));
  const response = await request(`v1/shadows/pictures/${entry.id}`);
  if (response.ok) {
    const image = make("img");
    image.alt = `A picture that ${entry.model} and its shadow answer differently`;
    image.src = URL.createObjectURL(await response.blob());
    item.prepend(image);
  }
  return item;
}

async function addAll(dataSet) {
  const { pictures } = await (await request("v1/shadows/pictures")).json();
  let added = 0;
  for (const [index, { id }] of pictures.entries()) {
    at("added").textContent = `${index + 1} of ${pictures.length} …`;
    const response = await request(`v1/shadows/pictures/${id}`, {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ dataSet }),
    });
    const answer = await response.json();
    if (!response.ok) {
      at("added").textContent = answer.error;
      return;
    }
    if (answer.isNew) added += 1;
  }
  const subject = pictures.length === 1 ? "picture is" : "pictures are";
  at("added").textContent = `${added} of ${pictures.length} ${subject} new in the data set ${dataSet}.`;
}

async function load() {
  const response = await request("v1/shadows");
  if (response.status === 401 || response.status === 403) {
    at("token-field").hidden = false;
    at("status").textContent = (await response.json()).error;
    return;
  }
  const { shadows, kept } = await response.json();
  at("status").textContent = "";
  at("shadows").replaceChildren(...shadows.map(section));
  at("kept").hidden = !kept;
  if (!kept) return;
  at("kept-text").textContent = `Pictures are kept in ${kept.folder} on this server: ${kept.count} now, at most `
    + `${kept.maximumCount}, ${Math.round(kept.maximumBytes / 1048576)} MB and ${kept.maximumDays} days.`;
  const { pictures } = await (await request("v1/shadows/pictures")).json();
  at("add").hidden = !kept.canBeAdded || pictures.length === 0;
  at("kept-command").hidden = kept.canBeAdded || pictures.length === 0;
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  at("command").textContent =
    `sightline hub dataset add DATASET ${pictures.map(({ picture }) => quoted(`${kept.folder}/${picture}`)).join(" ")}`;
  const items = [];
  for (const entry of pictures.slice(0, 50)) items.push(await picture(entry));
  at("pictures").replaceChildren(...items);
}

const show = () => load().catch((error) => (at("status").textContent = `The server does not answer: ${error.message}`));
at("add").addEventListener("submit", (event) => {
  event.preventDefault();
  addAll(at("dataset").value).catch((error) => (at("added").textContent = `The server does not answer: ${error.message}`));
});
at("token").addEventListener("change", show);
show();
