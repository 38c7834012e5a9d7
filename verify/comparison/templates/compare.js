const SHOWN = 200;
const data = JSON.parse(byId("data").textContent);
const [MODULE, NAME, KIND, WORSE, BECAME, SINCE, CELLS] = Array(7).keys();
const body = byId("matrix").tBodies[0];
const columns = byId("matrix").tHead.rows[0].cells.length;
const several = data.rows.length > 0 && columns > data.rows[0][CELLS].length + 2;

const made = (tag, text = "", style = "") => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (style) element.className = style;
  return element;
};
const heading = (module) => {
  const row = made("tr", "", "module");
  const cell = made("th", module || "–");
  cell.scope = "rowgroup";
  cell.colSpan = columns;
  row.append(cell);
  return row;
};
const cellOf = (at) => {
  if (at < 0) return made("td", "–");
  const [verdict, brief, full] = data.cells[at];
  const cell = made("td");
  const badge = made("span", "", `badge v-${verdict}`);
  const glyph = made("span", data.glyphs[verdict], "glyph");
  glyph.ariaHidden = "true";
  badge.append(glyph, verdict);
  cell.title = full;
  cell.append(badge, " ", made("span", brief, "aside"));
  return cell;
};
const rowOf = (it) => {
  const row = made("tr");
  const name = made("th");
  name.scope = "row";
  name.append(made("code", it[NAME]));
  const kind = data.kinds[it[KIND]];
  const change = made("td");
  const style = it[WORSE] ? "WORSE" : kind.toUpperCase().replace(" ", "_");
  change.append(made("span", kind, `kind k-${style}`), " ", made("span", data.words[it[BECAME]], "aside"));
  row.append(name, change, ...it[CELLS].map(cellOf), ...(several ? [made("td", data.words[it[SINCE]])] : []));
  return row;
};

const texts = new Map();
const textOf = (it) => {
  if (!texts.has(it)) {
    const cells = it[CELLS].map((at) => (at < 0 ? "" : data.cells[at][2]));
    const words = [data.words[it[MODULE]], it[NAME], data.kinds[it[KIND]], data.words[it[BECAME]], data.words[it[SINCE]]];
    texts.set(it, [...words, ...cells].join(" ").toLowerCase());
  }
  return texts.get(it);
};

const filter = byId("filter");
const chips = find(".chip");
let fitting = [];
let page = 0;
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
const draw = () => {
  let module = null;
  const rows = [];
  for (const it of fitting.slice(page * SHOWN, (page + 1) * SHOWN)) {
    if (it[MODULE] !== module) rows.push(heading(data.words[it[MODULE]]));
    module = it[MODULE];
    rows.push(rowOf(it));
  }
  body.replaceChildren(...rows);
  tell();
};
const apply = () => {
  const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const kinds = chips.filter((chip) => chip.ariaPressed === "true").map((chip) => chip.dataset.kind);
  fitting = data.rows.filter((it) => (!kinds.length || kinds.includes(data.kinds[it[KIND]]))
    && wanted.every((word) => textOf(it).includes(word)));
  page = 0;
  draw();
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
for (const [id, by] of [["before", -1], ["after", 1]]) {
  byId(id).addEventListener("click", () => {
    page += by;
    draw();
    byId("cases-table").scrollIntoView();
  });
}
apply();
