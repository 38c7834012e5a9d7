const SHOWN = 100;
const data = JSON.parse(byId("data").textContent);
const [ID, ANCHOR, VERDICT, QUANTITY, EVIDENCE, CLAIM, ULPS, ERROR, POINTS, SECONDS, TIME] = Array(11).keys();
const numeric = { verdict: VERDICT, ulps: ULPS, points: POINTS, time: SECONDS };
const words = { case: (row) => row[ID], quantity: (row) => data.words[row[QUANTITY]], evidence: (row) => data.words[row[EVIDENCE]] };
data.rows.forEach((row, at) => { row.place = at; });

let texts = null;
const textOf = (row) => {
  texts ??= new Map();
  if (!texts.has(row)) {
    const more = [QUANTITY, EVIDENCE, CLAIM].map((key) => data.words[row[key]]);
    texts.set(row, [row[ID], data.verdicts[row[VERDICT]][0], row[ERROR], ...more].join(" ").toLowerCase());
  }
  return texts.get(row);
};

const table = document.querySelector(".cases");
const model = table.tBodies[0].rows[0];
const filled = (row) => {
  const made = model.cloneNode(true);
  const cell = (key) => made.querySelector(`.c-${key}`);
  const measured = (key, value, noun) => {
    const unit = cell(key).querySelector(".unit") ?? document.createElement("span");
    unit.className = "unit";
    unit.textContent = noun;
    cell(key).replaceChildren(value, ...(noun ? [unit] : []));
  };
  const [name, glyph] = data.verdicts[row[VERDICT]];
  made.dataset.verdict = name;
  made.dataset.anchor = row[ANCHOR];
  const link = made.querySelector("a");
  link.textContent = row[ID];
  link.href = `${data.folder}/${String(Math.floor(row.place / data.size) + 1).padStart(4, "0")}.html#${row[ANCHOR]}`;
  cell("quantity").textContent = words.quantity(row);
  const badge = cell("verdict").querySelector(".badge");
  badge.className = `badge v-${name}`;
  badge.firstChild.textContent = glyph;
  badge.lastChild.textContent = name;
  cell("evidence").textContent = words.evidence(row) || "–";
  cell("evidence").dataset.value = words.evidence(row);
  measured("ulps", row[ERROR], row[ULPS] === -1 ? "" : row[ULPS] === 1 ? " ulp" : " ulps");
  measured("points", String(row[POINTS]), row[POINTS] === 1 ? " point" : " points");
  cell("time").textContent = row[TIME];
  return made;
};

const filter = byId("filter");
const chips = find(".chip");
let order = data.rows;
let fitting = data.rows;
let page = 0;

const draw = () => {
  const rows = fitting.slice(page * SHOWN, (page + 1) * SHOWN);
  table.tBodies[0].replaceChildren(...rows.map(filled));
  tell();
};
const tell = () => {
  const count = (number) => number.toLocaleString("en");
  const last = Math.min((page + 1) * SHOWN, fitting.length);
  const all = `${count(data.rows.length)} ${data.rows.length === 1 ? "case" : "cases"}`;
  byId("shown").textContent = fitting.length === data.rows.length ? all : `${count(fitting.length)} of ${all}`;
  byId("empty").hidden = fitting.length > 0;
  byId("place").textContent = `${count(page * SHOWN + 1)}–${count(last)} of ${count(fitting.length)}`;
  byId("turn").hidden = fitting.length <= SHOWN;
  byId("before").disabled = page === 0;
  byId("after").disabled = last >= fitting.length;
};
const apply = () => {
  const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const verdicts = chips.filter((chip) => chip.ariaPressed === "true").map((chip) => chip.dataset.verdict);
  fitting = order.filter((row) => (!verdicts.length || verdicts.includes(data.verdicts[row[VERDICT]][0]))
    && wanted.every((word) => textOf(row).includes(word)));
  page = 0;
  draw();
};
const turn = (by) => {
  page += by;
  draw();
  byId("cases-table").scrollIntoView();
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
byId("before").addEventListener("click", () => turn(-1));
byId("after").addEventListener("click", () => turn(1));

const collator = new Intl.Collator("en", { numeric: true });
const number = (value) => (typeof value === "number" ? value : Infinity);
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
    const compare = key in numeric
      ? (one, other) => { const [a, b] = [number(one[numeric[key]]), number(other[numeric[key]])]; return a === b ? 0 : a - b; }
      : (one, other) => collator.compare(words[key](one), words[key](other));
    order = [...order].sort((one, other) => sign * compare(one, other));
    apply();
  });
}
if (filter.value) apply();
else tell();
