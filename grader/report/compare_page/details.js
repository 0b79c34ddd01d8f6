// The dialog: a failure, or a submission with all of its failures.
const dialog = byId("details");

function openDialog(title, ...body) {
  byId("details-title").textContent = title;
  byId("details-body").replaceChildren(...body.filter(Boolean));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  byId("details-title").focus();
}

function openCell(row, check) {
  const info = data.checks[check];
  const letter = letterAt(row, check);
  const failure = failedOf[row].get(check);
  const texts = failure === undefined ? [] : data.failures[failure].map((place) => data.strings[place]);
  const evidence = el("dl", { class: "evidence" });
  for (let i = 1; i < texts.length; i += 2) evidence.append(el("dt", {}, texts[i]), el("dd", {}, texts[i + 1]));
  openDialog(
    `${info.id}: ${VERDICTS[letter]}`,
    el("p", { class: "soft" }, info.title, info.advice ? " (advice, costs no points)" : ""),
    el("p", {}, el("strong", {}, texts[0] || "")),
    evidence,
    el("p", {}, "Submission of ", el("button", { type: "button", class: "link", onclick: () => openRow(row) },
      data.students[row]), `, ${points(data.scores[row])} points`),
    el("div", { class: "row" }, ...neighbours(row, check)),
  );
}

// buttons to the failures before and after this one, of the same submission
function neighbours(row, check) {
  const all = [...failedOf[row].keys()].sort((a, b) => a - b);
  const step = (name, place) => (place === undefined ? null
    : el("button", { type: "button", onclick: () => openCell(row, place) }, `${name}: ${data.checks[place].id}`));
  return [step("Previous", all.filter((one) => one < check).pop()), step("Next", all.find((one) => one > check))]
    .filter(Boolean);
}

function openRow(row) {
  const mistakes = mistakesOf[row].map((place) => data.mistakes[place]);
  const checks = [...failedOf[row].keys()].sort((a, b) => a - b);
  openDialog(
    data.students[row],
    el("p", {}, `${points(data.scores[row])} of ${points(data.facts.max_score)} points`,
      data.submissions[row] === data.students[row] ? "" : ` · ${data.submissions[row]}`,
      data.complete[row] ? "" : " · stopped before the end"),
    mistakes.length ? el("h3", {}, "Mistakes") : null,
    mistakes.length ? el("ul", {}, ...mistakes.map((one) =>
      el("li", {}, el("strong", {}, mistakeName(one)), `: ${one.sentence}`))) : null,
    checks.length ? el("h3", {}, "Checks that did not pass") : el("p", {}, "All checks passed."),
    el("ul", {}, ...checks.filter((check) => letterAt(row, check) !== "n").map((check) => el("li", {},
      el("button", { type: "button", class: "link", onclick: () => openCell(row, check) }, data.checks[check].id),
      ` ${VERDICTS[letterAt(row, check)]}${data.checks[check].advice ? ", advice" : ""}`))),
  );
}

function setUpDialog() {
  byId("close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
}
