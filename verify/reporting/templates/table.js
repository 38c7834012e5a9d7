const table = document.querySelector(".cases");
if (!table) return;
const body = table.tBodies[0];
const rows = [...body.rows];
const sections = new Map(find("details.case").map((it) => [it.querySelector(".body").id, it]));
const sectionOf = (row) => sections.get(row.dataset.anchor);

filterable(rows, {
  textOf: (row) => `${row.textContent} ${sectionOf(row).querySelector(".claim").textContent}`,
  kindOf: (row) => row.dataset.verdict,
  show: (fitting) => {
    const shown = new Set(fitting);
    for (const row of rows) row.hidden = sectionOf(row).hidden = !shown.has(row);
  },
});
sortable(rows, (row, key) => row.querySelector(`.c-${key}`).dataset.value, () => body.append(...rows));

const expand = byId("expand");
expand.addEventListener("click", () => {
  const open = expand.ariaPressed !== "true";
  for (const details of sections.values()) details.open = open;
  expand.ariaPressed = String(open);
  expand.textContent = open ? "Collapse all" : "Expand all";
});
reveal();
