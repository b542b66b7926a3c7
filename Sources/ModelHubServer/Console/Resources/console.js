// What pages do beyond plain forms and links. Everything works without it, though uploads then show no progress.
"use strict";

const bytes = (count) => {
  const units = ["B", "kB", "MB", "GB"];
  let value = count, unit = 0;
  while (value >= 999.5 && unit < 3) { value /= 1000; unit += 1; }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
};

// Files dropped on a place become those of its file field.
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
    chosen.textContent = file ? `${file.name} · ${bytes(file.size)}` : "";
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
// A file dropped beside such a place would be opened in place of the page.
if (document.querySelector("[data-drop]")) {
  for (const name of ["dragover", "drop"]) document.addEventListener(name, (event) => event.preventDefault());
}

// Forms with files are sent with progress, and can be cancelled.
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
      text.textContent = event.loaded < event.total ? `${bytes(event.loaded)} of ${bytes(event.total)}` : "The hub looks at it …";
    });
    request.addEventListener("load", () => {
      const reply = request.response;
      if (request.status === 200 && reply && reply.location) location.assign(reply.location);
      else stop(reply && reply.error ? reply.error : "The hub refused the upload; load the page again and retry.");
    });
    request.addEventListener("error", () => stop("The connection broke off; check that the hub runs, then try again."));
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

// Buttons that copy a text of the page.
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}
