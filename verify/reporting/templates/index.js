const data = JSON.parse(byId("data").textContent);
const [ID, ANCHOR, VERDICT, QUANTITY, EVIDENCE, CLAIM, ULPS, ERROR, POINTS, SECONDS, TIME] = Array(11).keys();
const keys = { case: ID, quantity: QUANTITY, verdict: VERDICT, evidence: EVIDENCE, ulps: ULPS, points: POINTS, time: SECONDS };
const worded = new Set([QUANTITY, EVIDENCE, CLAIM]);
const valueOf = (row, at) => (worded.has(at) ? data.words[row[at]] : row[at]);
const kindOf = (row) => data.verdicts[row[VERDICT]][0];
data.rows.forEach((row, at) => { row.place = at; });

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
  cell("quantity").textContent = valueOf(row, QUANTITY);
  const badge = cell("verdict").querySelector(".badge");
  badge.className = `badge v-${name}`;
  badge.firstChild.textContent = glyph;
  badge.lastChild.textContent = name;
  cell("evidence").textContent = valueOf(row, EVIDENCE) || "–";
  cell("evidence").dataset.value = valueOf(row, EVIDENCE);
  measured("ulps", row[ERROR], row[ULPS] === -1 ? "" : row[ULPS] === 1 ? " ulp" : " ulps");
  measured("points", String(row[POINTS]), row[POINTS] === 1 ? " point" : " points");
  cell("time").textContent = row[TIME];
  return made;
};

const draw = (rows) => table.tBodies[0].replaceChildren(...rows.map(filled));
const apply = filterable(data.rows, {
  textOf: (row) => [kindOf(row), ...[ID, ERROR, QUANTITY, EVIDENCE, CLAIM].map((at) => valueOf(row, at))].join(" "),
  kindOf,
  show: paged(data.shown, draw),
});
sortable(data.rows, (row, key) => valueOf(row, keys[key]), apply);
