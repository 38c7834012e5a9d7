const counted = (number) => number.toLocaleString("en");

/** Shows the `rows` with all words of the filter and the kind of a pressed chip; returns what does so again. */
const filterable = (rows, { textOf, kindOf, show }) => {
  const filter = byId("filter");
  const chips = find(".chip");
  const texts = new Map();
  const has = (row, word) => {
    if (!texts.has(row)) texts.set(row, textOf(row).toLowerCase());
    return texts.get(row).includes(word);
  };
  const all = `${counted(rows.length)} ${rows.length === 1 ? "case" : "cases"}`;
  const apply = () => {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kinds = chips.filter((chip) => chip.ariaPressed === "true").map((chip) => chip.value);
    const fitting = rows.filter((row) => (!kinds.length || kinds.includes(kindOf(row)))
      && wanted.every((word) => has(row, word)));
    byId("shown").textContent = fitting.length === rows.length ? all : `${counted(fitting.length)} of ${all}`;
    byId("empty").hidden = fitting.length > 0;
    show(fitting);
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
  apply();
  return apply;
};

/** What shows rows `size` at a time, by `draw`. */
const paged = (size, draw) => {
  let rows = [];
  let start = 0;
  const turn = (to) => {
    start = to;
    const end = Math.min(start + size, rows.length);
    draw(rows.slice(start, end));
    byId("place").textContent = `${counted(start + 1)}–${counted(end)} of ${counted(rows.length)}`;
    byId("turn").hidden = rows.length <= size;
    byId("before").disabled = start === 0;
    byId("after").disabled = end === rows.length;
  };
  for (const [id, by] of [["before", -size], ["after", size]]) {
    byId(id).addEventListener("click", () => {
      turn(start + by);
      byId("cases-table").scrollIntoView();
    });
  }
  return (fitting) => {
    rows = fitting;
    turn(0);
  };
};

const numeric = new Set(["verdict", "ulps", "points", "time"]);
const largestFirst = new Set(["ulps", "points", "time"]);
const collator = new Intl.Collator("en", { numeric: true });
const number = (value) => (Number.isNaN(Number(value)) ? Infinity : Number(value));

/** Sorts `rows` in place by the column whose heading is pressed; equal ones stay in the order they had. */
const sortable = (rows, valueOf, show) => {
  for (const button of find(".sort")) {
    button.addEventListener("click", () => {
      const header = button.closest("th");
      const key = button.dataset.key;
      const [first, second] = largestFirst.has(key) ? ["descending", "ascending"] : ["ascending", "descending"];
      const direction = header.ariaSort === first ? second : first;
      for (const other of find("th[aria-sort]", header.parentElement)) other.ariaSort = "none";
      header.ariaSort = direction;
      const sign = direction === "ascending" ? 1 : -1;
      const compare = numeric.has(key)
        ? (a, b) => { const [x, y] = [number(a), number(b)]; return x === y ? 0 : x - y; }
        : collator.compare;
      const keyed = rows.map((row) => [valueOf(row, key), row]);
      keyed.sort((one, other) => sign * compare(one[0], other[0]));
      rows.splice(0, rows.length, ...keyed.map(([, row]) => row));
      show();
    });
  }
};
