// The data, and how elements are made: text only ever enters the page as text.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const VERDICTS = {
  p: "passed", f: "failed", e: "raised an error", t: "ran out of time", c: "crashed",
  b: "could not run", u: "not written yet", n: "not in this starter", ".": "not there",
};
const GLYPHS = { f: "×", e: "!", t: "t", c: "†", b: "–", u: "…" };
const MANY = 50;

function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const count = new Intl.NumberFormat("en").format;
const points = (value) => (value === null ? "" : String(Math.round(value * 100) / 100));
const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;
const say = (text) => { byId("said").textContent = text; };
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// failures of a submission: place of the check -> place of the failure
const failedOf = data.failed.map((flat) => {
  const found = new Map();
  for (let i = 0; i < flat.length; i += 2) found.set(flat[i], flat[i + 1]);
  return found;
});
const notPassed = data.cells.map((word, row) =>
  [...word].reduce((sum, letter, check) =>
    sum + (!"pn.".includes(letter) && !data.checks[check].advice ? 1 : 0), 0));
const mistakesOf = data.students.map(() => []);
data.mistakes.forEach((mistake, place) => mistake.members.forEach((row) => mistakesOf[row].push(place)));
const mistakeName = (mistake) => mistake.functions.join(" and ") || "whole submission";

// A table in pages: `columns` have a name, a key to sort by or none, and a cell; rows are numbers.
function pagedTable({ table, pages, columns, rows, sort, what }) {
  const view = { rows, first: 0, sort: sort ? { ...sort } : null, all: false };
  const head = el("tr");
  const buttons = columns.map((column) => {
    const cell = el("th", { scope: "col", class: column.number ? "number" : null });
    if (column.key) {
      cell.append(el("button", { type: "button", onclick: () => sortBy(column) }, column.name));
    } else cell.append(column.name);
    head.append(cell);
    return cell;
  });
  byId(table).tHead.replaceChildren(head);

  function sortBy(column) {
    const again = view.sort && view.sort.name === column.name;
    view.sort = { name: column.name, down: again ? !view.sort.down : Boolean(column.number) };
    view.first = 0;
    draw();
    if (view.onsort) view.onsort();
    say(`sorted by ${column.name}, ${view.sort.down ? "descending" : "ascending"}`);
  }

  function sorted() {
    if (!view.sort) return view.rows;
    const { key } = columns.find((column) => column.name === view.sort.name);
    const keyed = view.rows.map((row, place) => [key(row), place, row]);
    const way = view.sort.down ? -1 : 1;
    keyed.sort((a, b) => way * compare(a[0], b[0]) || a[1] - b[1]);
    return keyed.map((one) => one[2]);
  }

  function draw() {
    columns.forEach((column, i) => {
      if (!column.key) return;
      const mine = view.sort && view.sort.name === column.name;
      buttons[i].setAttribute("aria-sort", !mine ? "none" : view.sort.down ? "descending" : "ascending");
      buttons[i].firstChild.textContent = column.name + (!mine ? "" : view.sort.down ? " ▼" : " ▲");
    });
    const order = sorted();
    const shown = view.all ? order : order.slice(view.first, view.first + MANY);
    byId(table).tBodies[0].replaceChildren(...shown.map((row) => el("tr", {}, ...columns.map((column) =>
      el(column.head ? "th" : "td", {
        scope: column.head ? "row" : null,
        class: [column.number ? "number" : "", column.head || column.wide ? "name" : "", column.text ? "text" : ""].join(" ").trim() || null,
      }, ...[column.cell(row)].flat())))));
    drawPages(order.length);
  }

  function drawPages(size) {
    const last = Math.min(view.first + MANY, size);
    const move = (name, first, off) => el("button", { type: "button", disabled: off, onclick: () => {
      view.first = first;
      draw();
    } }, name);
    byId(pages).replaceChildren(...(size <= MANY ? [] : [
      move("Previous", Math.max(0, view.first - MANY), view.first === 0),
      el("span", {}, `${count(view.first + 1)} to ${count(last)} of ${plural(size, what[0], what[1])}`),
      move("Next", view.first + MANY, last >= size),
    ]));
  }

  addEventListener("beforeprint", () => { view.all = true; draw(); });
  addEventListener("afterprint", () => { view.all = false; draw(); });
  view.draw = draw;
  return view;
}

function compare(a, b) {
  if (typeof a === "string") return a.localeCompare(b, undefined, { numeric: true, sensitivity: "base" });
  return (a === null) - (b === null) || a - b;
}

// Draws a chart when it comes near the window or is printed, and again when its width changes.
function chart(id, height, draw) {
  const place = byId(id);
  let width = 0;
  const renew = () => {
    const now = Math.floor(place.clientWidth);
    if (now === width || now === 0) return;
    width = now;
    place.replaceChildren(draw(now));
  };
  place.style.minHeight = `${height}px`;
  const near = new IntersectionObserver((seen) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    near.disconnect();
    new ResizeObserver(renew).observe(place);
  }, { rootMargin: "400px" });
  near.observe(place);
  addEventListener("beforeprint", renew);
}
