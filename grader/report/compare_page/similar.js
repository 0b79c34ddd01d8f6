// Pairs that resemble each other, with the regions that do, side by side.
function side(name, lines, matched) {
  const within = new Set(matched);
  return el("div", {}, el("p", { class: "soft" }, name), el("pre", { tabindex: "0" }, ...lines.map((line, place) =>
    el(within.has(place) ? "mark" : "span", { class: within.has(place) ? "match" : "line" }, line))));
}

function openPair(pair) {
  openDialog(
    `${pair.a} resembles ${pair.b}`,
    el("p", {}, `${pair.share} % of the shorter one's solution lines up with the other's. ${data.similar.baseline_text}`),
    ...pair.regions.map((region) => el("div", {}, el("h3", {}, region.name), el("div", { class: "sides" },
      side(pair.a, region.a, region.in_a), side(pair.b, region.b, region.in_b)))),
    pair.left_out ? el("p", { class: "soft" }, pair.left_out) : null,
  );
}

function setUpSimilar() {
  const found = data.similar;
  if (!found) return;
  byId("similar").hidden = false;
  byId("similar-text").textContent = found.text;
  const pairs = found.pairs;
  pagedTable({
    table: "pairs",
    pages: "pair-pages",
    what: ["pair", "pairs"],
    rows: pairs.map((_, place) => place),
    sort: { name: "Resembles", down: true },
    columns: [
      { name: "Submission", head: true, key: (place) => pairs[place].a, cell: (place) => pairs[place].a },
      { name: "Other", wide: true, key: (place) => pairs[place].b, cell: (place) => pairs[place].b },
      { name: "Resembles", number: true, key: (place) => pairs[place].share, cell: (place) => `${pairs[place].share} %` },
      { name: "Above the baseline", key: (place) => (pairs[place].above ? 1 : 0), cell: (place) => (pairs[place].above ? "yes" : "no") },
      { name: "Where", text: true, cell: (place) => pairs[place].functions.slice(0, 3).join(", ")
        + (pairs[place].functions.length > 3 ? `, ${pairs[place].functions.length - 3} more` : "") },
      { name: "Side by side", cell: (place) => el("button", { type: "button", onclick: () => openPair(pairs[place]),
        "aria-label": `Open ${pairs[place].a} and ${pairs[place].b} side by side` }, "Open") },
    ],
  }).draw();
}
