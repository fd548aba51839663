"use strict";

const token = document.querySelector("meta[name=form-token]").content;
const said = document.getElementById("said");
const list = document.getElementById("hunks");
let newest = list ? Number(list.dataset.newest) : 0;

function tell(text, bad) {
  said.textContent = text;
  said.classList.toggle("bad", Boolean(bad));
}

function cards() {
  return [...document.querySelectorAll(".hunk")];
}

function current() {
  return document.querySelector(".hunk.current") || cards()[0];
}

function goTo(card) {
  if (!card) return;
  for (const other of document.querySelectorAll(".hunk.current")) other.classList.remove("current");
  card.classList.add("current");
  card.focus({ preventScroll: true });
  card.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const all = cards();
  const at = all.indexOf(document.querySelector(".hunk.current"));
  goTo(all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]);
}

function show(told) {
  const card = document.getElementById(`hunk-${told.id}`);
  if (!card) return false;
  const changed = card.dataset.verdict !== told.verdict;
  card.className = `hunk ${told.kind}${card.classList.contains("current") ? " current" : ""}`;
  card.dataset.verdict = told.verdict;
  card.querySelector(".kind").textContent = told.kind;
  card.querySelector(".by").textContent = told.by ? ` by ${told.by}` : "";
  card.querySelector(".said").textContent = told.comment;
  const seen = card.querySelector("input[name=seen]");
  if (seen) seen.value = told.verdict;
  return changed;
}

async function send(path, fields) {
  let answer;
  try {
    answer = await fetch(path, {
      method: "POST",
      headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ ...fields, form_token: token }),
    });
  } catch {
    tell("The server does not answer; nothing was saved.", true);
    return false;
  }
  const done = await answer.json();
  if (!answer.ok) {
    tell(done.error, true);
    await look();
    return false;
  }
  for (const told of done.hunks) show(told);
  const left = done.left.length ? `; not ${done.left.join(", ")}` : "";
  tell(`${done.count} ${done.count === 1 ? "hunk" : "hunks"} changed${left}`);
  return true;
}

async function decide(card, answer, like) {
  const form = card && card.querySelector("form");
  if (!form) return;
  const fields = {
    hunk: card.dataset.id, seen: card.dataset.verdict, answer: like ? `${answer} ${like}` : answer,
    comment: form.elements.comment.value,
  };
  if (await send("/decide", fields)) {
    form.elements.comment.value = "";
    const after = cards().slice(cards().indexOf(card) + 1);
    goTo((answer !== "reopen" && after.find((other) => !other.dataset.verdict)) || card);
  }
}

async function look() {
  let answer;
  try {
    answer = await fetch(`/events?after=${newest}`);
  } catch {
    return;
  }
  if (!answer.ok) return;
  const found = await answer.json();
  newest = found.newest;
  const others = found.hunks.filter(show);
  if (others.length) {
    const who = [...new Set(others.map((one) => one.by).filter(Boolean))].join(", ");
    tell(`${others.length} decided meanwhile${who ? ` by ${who}` : ""}`);
  }
}

function all(answer) {
  const card = current();
  const rule = card && card.querySelector("code").textContent;
  if (rule && confirm(`${answer} all open hunks of ${rule}?`)) decide(card, answer, "rule");
}

function pieces(what) {
  const card = current();
  if (!card || !card.querySelector("form")) return;
  tell("Reading the code …");
  location.href = `/hunks/${card.dataset.id}/${what}`;
}

const keys = {
  j: () => step(1),
  k: () => step(-1),
  y: () => decide(current(), "accept"),
  n: () => decide(current(), "reject"),
  r: () => decide(current(), "reopen"),
  a: () => decide(current(), "accept", "file"),
  d: () => decide(current(), "reject", "file"),
  A: () => all("accept"),
  D: () => all("reject"),
  "=": () => decide(current(), "accept", "equal"),
  u: () => send("/undo", {}),
  c: () => current()?.querySelector("input[name=comment]")?.focus(),
  b: () => document.body.classList.toggle("unified"),
  e: () => pieces("edit"),
  s: () => pieces("split"),
  "/": () => document.getElementById("search")?.focus(),
  "?": () => document.getElementById("keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.id === "text") {
    event.preventDefault();
    event.target.form.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.matches("input, select, textarea, dialog *")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  const path = new URL(form.action).pathname;
  if (path === "/undo") {
    event.preventDefault();
    send("/undo", {});
  } else if (path === "/decide") {
    event.preventDefault();
    const button = event.submitter;
    decide(form.closest(".hunk"), ...(button ? button.value : "accept").split(" "));
  } else if (path === "/edit" || path === "/split") {
    event.preventDefault();
    tell("Reading the code …");
    const fields = Object.fromEntries(new FormData(form));
    send(path, fields).then((good) => {
      if (good) location.href = `/hunks/${fields.hunk}`;
    });
  }
});

if (list) {
  setInterval(look, 3000);
  goTo(cards()[0]);
}
