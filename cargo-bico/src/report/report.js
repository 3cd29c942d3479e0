// The trails' tables: filled, sorted and filtered. Whatever a trail holds becomes text, never markup.
"use strict";
(() => {
  const SHOWN = 100; // rows at first, and with each `Show more rows`

  // Three digits, as everywhere in bico.
  const digits = (number) => {
    const before = number >= 1 ? Math.floor(Math.log10(number)) + 1 : 1;
    return number.toFixed(Math.max(0, 3 - before));
  };
  const time = (seconds) => {
    const units = [[1e-6, 1e9, "ns"], [1e-3, 1e6, "µs"], [1, 1e3, "ms"], [Infinity, 1, "s"]];
    const [, factor, unit] = units.find(([below]) => seconds < below);
    return `${digits(seconds * factor)} ${unit}`;
  };
  const shown = {
    text: (value) => value,
    count: (value) => value.toLocaleString("en"),
    time,
    ratio: (value) => value.toFixed(2),
    spent: (value) => `${value.toFixed(1)} s`,
    number: (value) => String(Number(value.toPrecision(4))),
  };

  const table = (section) => {
    const { columns, rows } = JSON.parse(section.querySelector("script").textContent);
    const at = (name) => columns.findIndex((column) => column.name === name);
    const [kind, outcome] = [at("kind"), at("outcome")];
    const body = section.querySelector("tbody");
    const heads = [...section.querySelectorAll("thead th")];
    const [words, which] = [section.querySelector("input"), section.querySelector("select")];
    const [status, more] = [section.querySelector("[role=status]"), section.querySelector(".more")];
    const texts = rows.map((row) => row.filter((cell) => typeof cell === "string").join(" ").toLowerCase());
    let order = rows.map((_, number) => number);
    let [limit, sorted, falling] = [SHOWN, -1, false];

    const cell = (row, column) => {
      const element = document.createElement(column === 0 ? "th" : "td");
      const value = row[column];
      const how = columns[column].as;
      element.textContent = value === null ? "–" : shown[how](value);
      if (column === 0) element.scope = "row";
      if (how !== "text") element.className = "number";
      else if (column === columns.length - 1) element.className = "long";
      return element;
    };
    const line = (number) => {
      const element = document.createElement("tr");
      const row = rows[number];
      element.append(...row.map((_, column) => cell(row, column)));
      if (!row[outcome].startsWith("ran")) element.className = "failed";
      else if (row[outcome].endsWith("winner")) element.className = "winner";
      return element;
    };
    const draw = () => {
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      const matches = (number) =>
        wanted.every((word) => texts[number].includes(word)) &&
        (which.value === "" || (which.value === "ran") === rows[number][outcome].startsWith("ran"));
      const found = order.filter(matches);
      body.replaceChildren(...found.slice(0, limit).map(line));
      const count = (number) => number.toLocaleString("en");
      const part = found.length > limit ? `, the first ${count(limit)} shown` : "";
      status.textContent = `${count(found.length)} of ${count(rows.length)} rows${part}`;
      more.hidden = found.length <= limit;
    };
    // What is not there comes last, either way; what is equal keeps its order.
    const sort = (column) => {
      falling = sorted === column && !falling;
      sorted = column;
      const sign = falling ? -1 : 1;
      order = rows.map((_, number) => number).sort((a, b) => {
        const [x, y] = [rows[a][column], rows[b][column]];
        if (x === null || y === null) return (x === null) - (y === null) || a - b;
        return sign * (typeof x === "string" ? x.localeCompare(y, "en") : x - y) || a - b;
      });
      heads.forEach((head, place) => {
        const way = falling ? "descending" : "ascending";
        head.setAttribute("aria-sort", place === column ? way : "none");
      });
      draw();
    };

    heads.forEach((head, column) => {
      if (columns[column].as !== "text") head.classList.add("number");
      head.querySelector("button").addEventListener("click", () => sort(column));
    });
    const anew = () => {
      limit = SHOWN;
      draw();
    };
    words.addEventListener("input", anew);
    which.addEventListener("change", anew);
    section.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    more.addEventListener("click", () => {
      limit += SHOWN;
      draw();
    });
    draw();
  };

  document.querySelectorAll(".trail").forEach(table);
})();
