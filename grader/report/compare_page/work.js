// Nodes of a training step and time, both beside the reference or the class.
function setUpWork() {
  const rows = data.students.map((_, row) => row).filter((row) => data.work[row][3] > 0);
  const seconds = rows.map((row) => data.work[row][3]).sort((a, b) => a - b);
  const reference = data.facts.reference_seconds;
  const usual = reference || seconds[Math.floor(seconds.length / 2)] || 1;
  const unit = reference ? "the reference's" : "the class's median";
  const counted = rows.filter((row) => data.work[row][0] && data.work[row][1]);
  byId("work").hidden = rows.length === 0;
  if (!rows.length) return;
  const ratio = (row) => data.work[row][0] / data.work[row][1];
  const byNodes = counted.length > 0;
  const shown = byNodes ? counted : rows;
  byId("work-text").textContent = (byNodes
    ? `Across: nodes made, as a multiple of the reference's (${count(counted.length)} of ${count(rows.length)} were measured). `
    : "Across: points. ")
    + `Up: time of the checks that passed, as a multiple of ${unit} (${usual.toFixed(2)} s); `
    + "few checks passed means little time. Click a point to open the submission; the table above has the numbers.";
  const across = byNodes ? ratio : (row) => data.scores[row];
  const time = (row) => data.work[row][3] / usual;
  const full = (row) => data.scores[row] >= data.facts.max_score;
  chart("scatter", 380, (width) => {
    const made = Plot.plot({
      width,
      height: 360,
      marginLeft: 50,
      inset: 8,
      ariaLabel: "Scatter of nodes and time",
      x: byNodes ? { type: "log", label: "nodes (× reference) →", grid: true, ticks: 6, tickFormat: "~g" }
        : { label: "points →", grid: true },
      y: { label: `↑ time (× ${reference ? "reference" : "median"})`, grid: true, type: "log", ticks: 5, tickFormat: "~g" },
      color: { legend: true, domain: ["full marks", "points lost"], range: ["var(--accent)", "var(--f)"] },
      marks: [
        byNodes ? Plot.ruleX([1], { stroke: "var(--ink)", strokeDasharray: "4 3" }) : null,
        Plot.ruleY([1], { stroke: "var(--ink)", strokeDasharray: "4 3" }),
        Plot.dot(shown, { x: across, y: time, r: 3.5, fillOpacity: 0.55, strokeOpacity: 0.9,
          fill: (row) => (full(row) ? "full marks" : "points lost"),
          symbol: (row) => (full(row) ? "full marks" : "points lost") }),
        Plot.tip(shown, Plot.pointer({ x: across, y: time, fill: "var(--paper)", title: (row) =>
          `${data.students[row].slice(0, 60)}\n${byNodes ? `${count(data.work[row][0])} nodes, ` : ""}`
          + `${data.work[row][3].toFixed(2)} s, ${points(data.scores[row])} points` })),
      ],
    });
    made.addEventListener("click", () => { if (made.value !== null && made.value !== undefined) openRow(made.value); });
    return made;
  });
}
