// What is other than in the run before, and what can be the cause.
function openChange(change) {
  const way = { up: "up", down: "down", other: "other" };
  openDialog(
    data.students[change.row],
    el("p", {}, `${points(change.before)} points before, ${points(change.after)} now. What differs: ${change.causes.join("; ")}`),
    el("table", {}, el("thead", {}, el("tr", {}, ...["Check", "Before", "Now", ""].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...change.steps.map(([check, before, after, kind]) => el("tr", {},
        el("th", { scope: "row" }, check), el("td", {}, VERDICTS[before]), el("td", {}, VERDICTS[after]),
        el("td", { class: kind }, way[kind]))))),
    el("p", {}, el("button", { type: "button", onclick: () => openRow(change.row) }, "Open the submission")),
  );
}

function setUpChanges() {
  if (!data.compared) return;
  byId("changes").hidden = false;
  const all = data.changes;
  const up = all.filter((one) => one.after > one.before).length;
  const down = all.filter((one) => one.after < one.before).length;
  byId("changes-text").textContent =
    `${plural(all.length, "submission", "submissions")} with other results than before (${count(up)} higher, `
    + `${count(down)} lower), ${count(data.same)} the same.`;
  const groups = new Map();
  all.forEach((one) => {
    const name = one.causes.join("; ");
    groups.set(name, [...(groups.get(name) || []), one]);
  });
  byId("causes").hidden = groups.size === 0;
  byId("causes").tHead.replaceChildren(el("tr", {}, ...["What differs", "Submissions", "Higher", "Lower"].map((name, place) =>
    el("th", { scope: "col", class: place ? "number" : null }, name))));
  byId("causes").tBodies[0].replaceChildren(...[...groups].map(([name, some]) => el("tr", {},
    el("th", { scope: "row" }, name), ...[some.length, some.filter((one) => one.after > one.before).length,
      some.filter((one) => one.after < one.before).length].map((number) => el("td", { class: "number" }, count(number))))));
  const steps = (place, kind) => all[place].steps.filter((step) => step[3] === kind).length;
  byId("changed").hidden = all.length === 0;
  pagedTable({
    table: "changed",
    pages: "change-pages",
    what: ["submission", "submissions"],
    rows: all.map((_, place) => place),
    columns: [
      { name: "Student", head: true, key: (place) => data.students[all[place].row], cell: (place) =>
        el("button", { type: "button", class: "link", onclick: () => openChange(all[place]) }, data.students[all[place].row]) },
      { name: "Before", number: true, key: (place) => all[place].before, cell: (place) => points(all[place].before) },
      { name: "Now", number: true, key: (place) => all[place].after, cell: (place) => points(all[place].after) },
      { name: "Checks up", number: true, key: (place) => steps(place, "up"), cell: (place) => count(steps(place, "up")) },
      { name: "Checks down", number: true, key: (place) => steps(place, "down"), cell: (place) => count(steps(place, "down")) },
      { name: "What differs", text: true, key: (place) => all[place].causes.join("; "), cell: (place) => all[place].causes.join("; ") },
    ],
  }).draw();
}
