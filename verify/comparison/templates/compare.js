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
const kindOf = (it) => data.kinds[it[KIND]];
const rowOf = (it) => {
  const row = made("tr");
  const name = made("th");
  name.scope = "row";
  name.append(made("code", it[NAME]));
  const kind = kindOf(it);
  const change = made("td");
  const style = it[WORSE] ? "WORSE" : kind.toUpperCase().replace(" ", "_");
  change.append(made("span", kind, `kind k-${style}`), " ", made("span", data.words[it[BECAME]], "aside"));
  row.append(name, change, ...it[CELLS].map(cellOf), ...(several ? [made("td", data.words[it[SINCE]])] : []));
  return row;
};

const textOf = (it) => {
  const [module, became, since] = [MODULE, BECAME, SINCE].map((key) => data.words[it[key]]);
  const cells = it[CELLS].map((at) => (at < 0 ? "" : data.cells[at][2]));
  return [module, it[NAME], kindOf(it), became, since, ...cells].join(" ");
};
const draw = (shown) => {
  let module = null;
  const rows = [];
  for (const it of shown) {
    if (it[MODULE] !== module) rows.push(heading(data.words[it[MODULE]]));
    module = it[MODULE];
    rows.push(rowOf(it));
  }
  body.replaceChildren(...rows);
};
filterable(data.rows, { textOf, kindOf, show: paged(data.shown, draw) });
