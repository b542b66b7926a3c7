// Additions to plain forms and links. Everything works without this script, but uploads then show no progress.
"use strict";

const bytes = (count) => {
  const units = ["B", "kB", "MB", "GB"];
  let value = count, unit = 0;
  while (value >= 999.5 && unit < 3) { value /= 1000; unit += 1; }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
};

// An address of a section of a model's page, which is now in a part of its own.
const anchor = location.hash.slice(1);
if (anchor && !document.getElementById(anchor)) {
  const part = [...document.querySelectorAll("[data-anchors]")].find((one) => one.dataset.anchors.split(" ").includes(anchor));
  if (part) location.replace(part.href + location.hash);
}

// Files dropped on a drop zone go to its file field.
for (const place of document.querySelectorAll("[data-drop]")) {
  const input = place.querySelector("input[type=file]");
  const chosen = place.querySelector("[data-chosen]");
  let depth = 0;
  const mark = (change) => {
    depth = Math.max(0, depth + change);
    place.classList.toggle("drop-over", depth > 0);
  };
  const show = () => {
    const file = input.files[0];
    chosen.hidden = !file;
    // The browser shows the name itself.
    chosen.textContent = file ? bytes(file.size) : "";
  };
  place.addEventListener("dragenter", (event) => { event.preventDefault(); mark(1); });
  place.addEventListener("dragleave", () => mark(-1));
  place.addEventListener("dragover", (event) => event.preventDefault());
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    mark(0);
    if (event.dataTransfer.files.length === 0) return;
    const files = new DataTransfer();
    files.items.add(event.dataTransfer.files[0]);
    input.files = files.files;
    show();
  });
  input.addEventListener("change", show);
}
// A file dropped outside a drop zone would replace the page.
if (document.querySelector("[data-drop]")) {
  for (const name of ["dragover", "drop"]) document.addEventListener(name, (event) => event.preventDefault());
}

// Forms with files show their progress and can be canceled.
for (const form of document.querySelectorAll("form[data-upload]")) {
  const progress = form.querySelector("[data-progress]");
  const bar = progress.querySelector("progress");
  const text = progress.querySelector("[data-progress-text]");
  const error = form.querySelector("[data-error]");
  const submit = form.querySelector("button[type=submit]");
  let request = null;
  const stop = (message) => {
    request = null;
    progress.hidden = true;
    submit.disabled = false;
    error.hidden = !message;
    error.textContent = message;
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (request) return;
    request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable) return;
      bar.value = 100 * event.loaded / event.total;
      text.textContent = event.loaded < event.total ? `${bytes(event.loaded)} of ${bytes(event.total)}` : "The hub validates the file …";
    });
    request.addEventListener("load", () => {
      const reply = request.response;
      if (request.status === 200 && reply && reply.location) location.assign(reply.location);
      else stop(reply && reply.error ? reply.error : "The hub rejected the upload; load the page again and retry.");
    });
    request.addEventListener("error", () => stop("The connection was interrupted; check that the hub runs, then try again."));
    request.addEventListener("abort", () => stop(""));
    submit.disabled = true;
    error.hidden = true;
    progress.hidden = false;
    bar.value = 0;
    text.textContent = "";
    request.send(new FormData(form));
  });
  form.querySelector("[data-cancel]").addEventListener("click", () => { if (request) request.abort(); });
}

// A changed menu of a filter takes effect at once; a search does with the Enter key.
for (const menu of document.querySelectorAll("form.filters[method=get] select")) {
  menu.addEventListener("change", () => menu.form.requestSubmit());
}

// Buttons that copy a text of the page.
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}

// The page of an open evaluation shows its progress, and then the result.
for (const place of document.querySelectorAll("[data-poll]")) {
  const bar = place.querySelector("progress");
  const text = place.querySelector("[data-poll-text]");
  const look = async () => {
    try {
      const reply = await fetch(place.dataset.poll, { headers: { Accept: "application/json" } });
      if (reply.ok) {
        const status = await reply.json();
        if (!status.isOpen) return location.reload();
        text.textContent = status.text;
        if (status.total > 0) { bar.max = status.total; bar.value = status.done; }
      } else if (reply.status === 401 || reply.status === 404) {
        return location.reload();
      }
    } catch {
      text.textContent = "The hub does not respond; trying again …";
    }
    setTimeout(look, 700);
  };
  setTimeout(look, 400);
}

// The menus of a condition show the expression that they stand for.
for (const place of document.querySelectorAll("[data-expression]")) {
  const form = place.closest("form");
  const whole = place.querySelector("[data-whole]");
  const percent = form.elements.percent;
  const slider = place.querySelector("[data-slider]");
  const range = slider.querySelector("input");
  let number = 0;
  const show = async () => {
    const own = number += 1;
    const fields = new URLSearchParams();
    for (const element of form.elements) {
      if (["platform", "apps", "comparison", "version", "countries", "languages", "percent", "seed", "expression"].includes(element.name)) fields.set(element.name, element.value);
    }
    try {
      const reply = await fetch(`${place.dataset.expression}?${fields}`, { headers: { Accept: "application/json" } });
      const answer = await reply.json();
      if (own === number) whole.textContent = answer.expression || answer.error;
    } catch {
      if (own === number) whole.textContent = "The hub does not respond.";
    }
  };
  const follow = () => { range.value = percent.value === "" ? 100 : percent.value; };
  slider.hidden = false;
  follow();
  range.addEventListener("input", () => { percent.value = range.value; });
  percent.addEventListener("input", follow);
  let timer = null;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, 200);
  });
}

// The outcome of a running experiment is refreshed from time to time, unless the user is active on the page.
if (document.querySelector("[data-refresh]")) {
  setInterval(() => {
    const isIdle = document.activeElement === document.body || document.activeElement === null;
    if (document.visibilityState === "visible" && isIdle && scrollY < 200) location.reload();
  }, 15000);
}

// The slider of the confidence threshold moves the line in the chart and all numbers that depend on it.
for (const place of document.querySelectorAll("[data-threshold]")) {
  const slider = place.querySelector("input[type=range]");
  const chart = place.querySelector("[data-chart]");
  const marker = place.querySelector("[data-marker]");
  const percent = (part, whole) => (whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : "–");
  const show = (scope, name, value) => {
    for (const output of scope.querySelectorAll(`[data-output="${name}"]`)) output.textContent = value;
  };
  const update = (scope, curve) => {
    const hundredths = Math.round(slider.value * 100);
    const step = curve.steps.findLast((step) => step[0] <= hundredths) || [0, 0, 0];
    show(scope, "precision", percent(step[2], step[1]));
    show(scope, "recall", percent(step[2], curve.wanted));
    show(scope, "f1", percent(2 * step[2], step[1] + curve.wanted));
    return step;
  };
  const curve = JSON.parse(chart.dataset.curve);
  const rows = [...document.querySelectorAll("[data-rows] tr[data-curve]")].map((row) => [row, JSON.parse(row.dataset.curve)]);
  slider.addEventListener("input", () => {
    const value = Number(slider.value);
    const step = update(place, curve);
    show(place, "answers", `${step[2].toLocaleString("en")} of ${step[1].toLocaleString("en")} ${step[1] === 1 ? "answer" : "answers"} right`);
    show(place, "threshold", value.toFixed(2));
    const x = String(44 + 580 * value);
    marker.setAttribute("x1", x);
    marker.setAttribute("x2", x);
    const input = place.querySelector("[data-input=threshold]");
    if (input) input.value = value.toFixed(2);
    for (const [row, own] of rows) update(row, own);
  });
}

// A click or a key changes the label of a photo without a new page.
const photos = [...document.querySelectorAll("[data-photo]")];
for (const photo of photos) {
  const form = photo.querySelector("[data-relabel]");
  const error = document.querySelector("[data-relabel-error]");
  const buttons = [...form.querySelectorAll("button[data-key]")];
  const relabel = async (button) => {
    const fields = new URLSearchParams(new FormData(form));
    fields.set("label", button.value);
    try {
      const reply = await fetch(form.action, { method: "POST", headers: { Accept: "application/json" }, body: fields });
      const answer = await reply.json();
      if (!reply.ok) throw new Error(answer.error);
      error.hidden = true;
      // A doubtful photo is on the page twice.
      for (const same of photos.filter((other) => other.dataset.photo === photo.dataset.photo)) {
        same.querySelector("[data-label]").textContent = answer.label;
        const doubt = same.querySelector("[data-doubt]");
        if (doubt) doubt.hidden = true;
        for (const other of same.querySelectorAll("button[data-key]")) other.setAttribute("aria-pressed", String(other.value === answer.label));
      }
    } catch (failure) {
      error.textContent = failure instanceof TypeError ? "The hub does not respond; try again." : failure.message;
      error.hidden = false;
      error.scrollIntoView({ block: "nearest" });
    }
  };
  form.addEventListener("submit", (event) => {
    if (!event.submitter || !event.submitter.dataset.key) return;
    event.preventDefault();
    relabel(event.submitter);
  });
  photo.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
    const button = buttons.find((button) => button.dataset.key === event.key);
    if (button) {
      event.preventDefault();
      relabel(button);
    } else if (event.target === photo && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      const next = photos[photos.indexOf(photo) + (event.key === "ArrowRight" ? 1 : -1)];
      if (next) next.focus();
      event.preventDefault();
    }
  });
}
