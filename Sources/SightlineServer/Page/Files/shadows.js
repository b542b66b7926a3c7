// The page of shadows. It talks to /v1/shadows and the routes below it alone.
const at = (id) => document.getElementById(id);

function request(path) {
  const token = at("token").value;
  return fetch(path, { headers: token ? { authorization: `Bearer ${token}` } : {} });
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
  const item = make("li", `${entry.model}: ${entry.picture}, difference ${entry.weight.toFixed(2)}`);
  const response = await request(`v1/shadows/pictures/${entry.id}`);
  if (response.ok) {
    const image = make("img");
    image.alt = `A picture for ${entry.model}`;
    image.src = URL.createObjectURL(await response.blob());
    item.prepend(image);
  }
  return item;
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
  at("kept-command").hidden = pictures.length === 0;
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  at("command").textContent =
    `sightline hub dataset add DATASET ${pictures.map(({ picture }) => quoted(`${kept.folder}/${picture}`)).join(" ")}`;
  const items = [];
  for (const entry of pictures.slice(0, 50)) items.push(await picture(entry));
  at("pictures").replaceChildren(...items);
}

const show = () => load().catch((error) => (at("status").textContent = `The server does not answer: ${error.message}`));
at("token").addEventListener("change", show);
show();
