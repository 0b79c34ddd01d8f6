// Which submissions are shown, in which order; the heat map and the table follow.
const choice = { name: "", check: -1, verdict: "", mistake: -1, order: "score", down: false, rows: [] };
const followers = [];

const ORDERS = {
  score: ["score, lowest first", (row) => data.scores[row]],
  highest: ["score, highest first", (row) => -data.scores[row]],
  name: ["name", (row) => data.students[row]],
  failing: ["most failing checks", (row) => -notPassed[row]],
};
const SEVERITY = "ctefub.np";

function letterAt(row, check) {
  return data.cells[row][check] || ".";
}

function matches(row) {
  if (choice.name && !names[row].includes(choice.name)) return false;
  if (choice.mistake >= 0 && !mistakesOf[row].includes(choice.mistake)) return false;
  if (choice.check >= 0) {
    const letter = letterAt(row, choice.check);
    return choice.verdict ? fits(letter) : true;
  }
  return choice.verdict ? [...data.cells[row]].some(fits) : true;
}

function fits(letter) {
  return choice.verdict === "any" ? !"pn.".includes(letter) : letter === choice.verdict;
}

const names = data.students.map((name, row) => `${name}\n${data.submissions[row]}`.toLowerCase());

function choose(change) {
  Object.assign(choice, change);
  const rows = data.students.map((_, row) => row).filter(matches);
  const key = choice.order.startsWith("check ")
    ? (row) => SEVERITY.indexOf(letterAt(row, Number(choice.order.slice(6))))
    : ORDERS[choice.order][1];
  const keyed = rows.map((row) => [key(row), row]);
  keyed.sort((a, b) => compare(a[0], b[0]) || data.scores[a[1]] - data.scores[b[1]] || a[1] - b[1]);
  choice.rows = keyed.map((one) => one[1]);
  byId("count").textContent =
    `${count(rows.length)} of ${plural(data.students.length, "submission", "submissions")}`;
  byId("search").value = choice.name ? byId("search").value : "";
  byId("check").value = choice.check;
  byId("verdict").value = choice.verdict;
  byId("mistake").value = choice.mistake;
  showOrder();
  followers.forEach((follow) => follow());
}

function showOrder() {
  const select = byId("order");
  const known = [...select.options].some((option) => option.value === choice.order);
  if (!known) {
    const check = data.checks[Number(choice.order.slice(6))];
    select.append(el("option", { value: choice.order }, `result of ${check.id}`));
  }
  select.value = choice.order;
}

function setUpChoice() {
  byId("check").append(el("option", { value: -1 }, "any check"));
  for (const [name, title] of data.questions) {
    const group = el("optgroup", { label: title || name });
    data.checks.forEach((check, place) => {
      if (check.question === name) group.append(el("option", { value: place }, check.id));
    });
    byId("check").append(group);
  }
  const verdicts = [["", "any result"], ["any", "not passed"],
    ...Object.entries(VERDICTS).filter(([letter]) => letter !== ".")];
  byId("verdict").append(...verdicts.map(([value, name]) => el("option", { value }, name)));
  byId("mistake").append(el("option", { value: -1 }, "any or none"), ...data.mistakes.map((mistake, place) =>
    el("option", { value: place }, `${place + 1}. ${mistakeName(mistake)} (${mistake.count})`)));
  byId("order").append(...Object.entries(ORDERS).map(([value, [name]]) => el("option", { value }, name)));
  const listen = (id, kind, change) => byId(id).addEventListener(kind, () => choose(change(byId(id).value)));
  listen("search", "input", (value) => ({ name: value.trim().toLowerCase() }));
  listen("check", "change", (value) => ({ check: Number(value) }));
  listen("verdict", "change", (value) => ({ verdict: value }));
  listen("mistake", "change", (value) => ({ mistake: Number(value) }));
  listen("order", "change", (value) => ({ order: value }));
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    choose({ name: "", check: -1, verdict: "", mistake: -1, order: "score" });
  });
}
