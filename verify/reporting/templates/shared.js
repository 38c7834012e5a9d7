"use strict";
const root = document.documentElement;
const find = (selector, within = document) => [...within.querySelectorAll(selector)];
const byId = (id) => document.getElementById(id);
root.classList.add("js");

const remembered = (value) => {
  try {
    if (value === undefined) return localStorage.getItem("symtape-theme");
    localStorage.setItem("symtape-theme", value);
  } catch { /* a file may have no storage: the choice is then not kept */ }
  return null;
};
const themes = { auto: ["Auto", "as the system"], light: ["Light", "light"], dark: ["Dark", "dark"] };
const wear = (name) => {
  const theme = Object.hasOwn(themes, name ?? "") ? name : "auto";
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
  byId("theme").textContent = themes[theme][0];
  byId("theme").setAttribute("aria-label", `Colours: ${themes[theme][1]}`);
  return theme;
};
let theme = wear(remembered());
byId("theme").addEventListener("click", () => {
  const names = Object.keys(themes);
  theme = wear(names[(names.indexOf(theme) + 1) % names.length]);
  remembered(theme);
});

for (const button of find(".copy")) {
  button.addEventListener("click", async () => {
    const code = button.parentElement.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

const reveal = () => {
  const target = location.hash && byId(decodeURIComponent(location.hash.slice(1)));
  const details = target && target.closest("details.case");
  if (!details) return;
  details.hidden = false;
  details.open = true;
  details.scrollIntoView();
  details.querySelector("summary").focus({ preventScroll: true });
};
addEventListener("hashchange", reveal);
for (const link of find("a[href^='#case']")) {
  link.addEventListener("click", () => { if (link.hash === location.hash) reveal(); });
}

let closed = [];
addEventListener("beforeprint", () => {
  closed = find("details:not([open])");
  for (const details of closed) details.open = true;
});
addEventListener("afterprint", () => { for (const details of closed) details.open = false; });
