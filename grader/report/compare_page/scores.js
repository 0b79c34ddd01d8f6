// The distribution of scores.
const BARS = 20;

function setUpScores() {
  const { spread, max_score: most } = data.facts;
  const figures = [
    ["submissions", count(spread.count)], ["median", points(spread.median)], ["mean", points(spread.mean)],
    ["middle half", `${points(spread.quarter)} to ${points(spread.three_quarters)}`],
    ["lowest", points(spread.low)], ["full marks", count(spread.full)],
  ];
  byId("figures").replaceChildren(...figures.map(([name, value]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, value))));
  // a bar for each twentieth of the points; the last holds full marks too
  const bars = Array.from({ length: BARS }, (_, place) =>
    ({ from: (place * most) / BARS, to: ((place + 1) * most) / BARS, count: 0 }));
  data.scores.forEach((score) => { bars[Math.max(0, Math.min(BARS - 1, Math.floor((score / most) * BARS)))].count += 1; });
  chart("histogram", 240, (width) => Plot.plot({
    width,
    height: 250,
    marginLeft: 50,
    marginTop: 44,
    ariaLabel: "Histogram of the scores",
    ariaDescription: figures.map(([name, value]) => `${name} ${value}`).join(", "),
    x: { label: "points", domain: [0, most] },
    y: { label: "submissions", grid: true, interval: Math.max(...bars.map((bar) => bar.count)) < 10 ? 1 : undefined },
    marks: [
      Plot.rectY(bars, { x1: "from", x2: "to", y: "count", fill: "var(--accent)", inset: 0.5 }),
      Plot.text(bars.filter((bar) => bar.count), { x: (bar) => (bar.from + bar.to) / 2, y: "count",
        text: (bar) => count(bar.count), dy: -7 }),
      Plot.ruleX([spread.median], { stroke: "var(--ink)", strokeDasharray: "4 3" }),
      Plot.text([spread.median], { x: (d) => d, text: () => "median ", frameAnchor: "top", dy: -24,
        textAnchor: spread.median > most / 2 ? "end" : "start" }),
      Plot.ruleY([0]),
    ],
  }));
}
