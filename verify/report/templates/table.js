const table = document.querySelector(".cases");
if (!table) return;
const body = table.tBodies[0];
const rows = [...body.rows];
const sections = new Map(find("details.case").map((it) => [it.querySelector(".body").id, it]));
const words = new Map(rows.map((row) => {
  const section = sections.get(row.dataset.anchor);
  const claim = section.querySelector(".claim").textContent;
  return [row, `${row.textContent} ${claim}`.toLowerCase()];
}));
const filter = byId("filter");
const chips = find(".chip");

const apply = () => {
  const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const verdicts = chips.filter((chip) => chip.ariaPressed === "true").map((chip) => chip.dataset.verdict);
  let shown = 0;
  for (const row of rows) {
    const fits = (!verdicts.length || verdicts.includes(row.dataset.verdict))
      && wanted.every((word) => words.get(row).includes(word));
    row.hidden = !fits;
    sections.get(row.dataset.anchor).hidden = !fits;
    shown += fits;
  }
  const all = `${rows.length} ${rows.length === 1 ? "case" : "cases"}`;
  byId("shown").textContent = shown === rows.length ? all : `${shown} of ${all}`;
  byId("empty").hidden = shown > 0;
};
filter.addEventListener("input", apply);
for (const chip of chips) {
  chip.addEventListener("click", () => {
    chip.ariaPressed = chip.ariaPressed === "true" ? "false" : "true";
    apply();
  });
}
byId("clear").addEventListener("click", () => {
  filter.value = "";
  for (const chip of chips) chip.ariaPressed = "false";
  apply();
  filter.focus();
});

const numeric = new Set(["verdict", "ulps", "points", "time"]);
const valueOf = (row, key) => {
  const value = row.querySelector(`.c-${key}`).dataset.value;
  if (!numeric.has(key)) return value;
  if (value === "inf" || value === "nan") return Infinity;
  return Number(value);
};
const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a === b ? 0 : a - b);
for (const button of find(".sort")) {
  button.addEventListener("click", () => {
    const header = button.closest("th");
    const key = button.dataset.key;
    const first = ["ulps", "points", "time"].includes(key) ? "descending" : "ascending";
    const second = first === "ascending" ? "descending" : "ascending";
    const direction = header.ariaSort === first ? second : first;
    for (const other of find("th[aria-sort]", table)) other.ariaSort = "none";
    header.ariaSort = direction;
    const sign = direction === "ascending" ? 1 : -1;
    const keyed = rows.map((row) => [valueOf(row, key), row]);
    keyed.sort((one, other) => sign * compare(one[0], other[0]));
    body.append(...keyed.map(([, row]) => row));
  });
}

const expand = byId("expand");
expand.addEventListener("click", () => {
  const open = expand.ariaPressed !== "true";
  for (const details of sections.values()) details.open = open;
  expand.ariaPressed = String(open);
  expand.textContent = open ? "Collapse all" : "Expand all";
});
reveal();
