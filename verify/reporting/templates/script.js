(() => {
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

  /** A page with all cases on it. */
  const showReport = () => {
    const table = document.querySelector(".cases");
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
  };

  /** The index of a large report, whose rows are data. */
  const showIndex = () => {
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
  };

  /** Runs beside each other. */
  const showComparison = () => {
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
  };

  if (byId("matrix")) showComparison();
  else if (byId("data")) showIndex();
  else if (document.querySelector(".cases")) showReport();
  reveal();
})();
