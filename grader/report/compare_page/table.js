// The table of the chosen submissions: the heat map's content for reading, page by page.
function setUpTable() {
  const shown = (row) => [...new Set(mistakesOf[row].filter((place) => !data.mistakes[place].advice)
    .map((place) => mistakeName(data.mistakes[place])))];
  const ratio = (row) => (data.work[row][0] !== null && data.work[row][1] ? data.work[row][0] / data.work[row][1] : null);
  const view = pagedTable({
    table: "table",
    pages: "table-pages",
    what: ["submission", "submissions"],
    rows: [],
    columns: [
      { name: "Student", head: true, key: (row) => data.students[row], cell: (row) =>
        el("button", { type: "button", class: "link", onclick: () => openRow(row) }, data.students[row]) },
      { name: "Points", number: true, key: (row) => data.scores[row], cell: (row) => points(data.scores[row]) },
      ...data.questions.map(([name, , most], place) => ({ name, most, number: true,
        key: (row) => data.points[row][place], cell: (row) => points(data.points[row][place]) }))
        .filter((column) => column.most > 0),
      { name: "Not passed", number: true, key: (row) => notPassed[row], cell: (row) => count(notPassed[row]) },
      { name: "Nodes", number: true, key: ratio, cell: (row) => (ratio(row) === null ? "" : `${ratio(row).toFixed(2)} ×`) },
      { name: "Seconds", number: true, key: (row) => data.work[row][3], cell: (row) => data.work[row][3].toFixed(2) },
      { name: "Mistakes in", text: true, cell: (row) => shown(row).slice(0, 4).join(", ")
        + (shown(row).length > 4 ? `, ${shown(row).length - 4} more` : "") },
    ],
  });
  followers.push(() => {
    view.rows = choice.rows;
    view.first = 0;
    view.draw();
  });
}
