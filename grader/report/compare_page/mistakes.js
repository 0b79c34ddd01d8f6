// The class's mistakes, most common first, each with an example that can be posted.
const FIRST_MISTAKES = 12;

function mistakeItem(mistake, place) {
  const size = data.students.length;
  const share = (100 * mistake.count) / size;
  const evidence = el("dl", { class: "evidence" }, ...mistake.example.flatMap(([label, text]) =>
    [el("dt", {}, label), el("dd", {}, text)]), ...(mistake.help ? [el("dt", {}, "hint"), el("dd", {}, mistake.help)] : []));
  const checks = mistake.checks.slice(0, 8).map(([id, times]) => `${id} (${count(times)})`).join(", ")
    + (mistake.checks.length > 8 ? `, ${count(mistake.checks.length - 8)} more` : "");
  return el("li", { "data-place": place },
    el("div", { class: "mistake-head" },
      el("span", { class: "tally" }, `${count(mistake.count)} of ${count(size)}`),
      el("h3", {}, mistakeName(mistake)),
      el("span", { class: "soft" }, mistake.advice || !mistake.lost ? "costs no points"
        : `costs ${points(mistake.lost)} points on average`)),
    el("p", {}, mistake.sentence),
    el("div", { class: "bar", "aria-hidden": "true" }, el("div", { style: `width: ${share}%` })),
    el("div", { class: "row" },
      el("details", {}, el("summary", {}, "Smallest example, without names"),
        evidence, el("p", { class: "soft" }, `Checks that fail through it: ${checks}`)),
      el("button", { type: "button", onclick: () => copy(mistake.announcement) }, "Copy for an announcement"),
      el("button", { type: "button", onclick: () => showMembers(place) },
        `Show ${plural(mistake.count, "submission", "submissions")}`)));
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", { class: "hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say("copied");
}

function showMembers(place) {
  choose({ name: "", check: -1, verdict: "", mistake: place });
  byId("submissions").scrollIntoView();
  byId("mistake").focus({ preventScroll: true });
}

function setUpMistakes() {
  const scored = data.mistakes.map((one, place) => [one, place]).filter(([one]) => !one.advice);
  const advice = data.mistakes.map((one, place) => [one, place]).filter(([one]) => one.advice);
  const items = (some) => some.map(([one, place]) => mistakeItem(one, place));
  byId("mistake-list").replaceChildren(...items(scored.slice(0, FIRST_MISTAKES)));
  if (!scored.length) byId("mistake-list").append(el("li", {}, "No mistake was found."));
  const rest = scored.slice(FIRST_MISTAKES);
  const more = byId("more-mistakes");
  more.hidden = !rest.length;
  more.textContent = `Show ${plural(rest.length, "rarer mistake", "rarer mistakes")}`;
  more.addEventListener("click", () => {
    const made = items(rest);
    byId("mistake-list").append(...made);
    more.hidden = true;
    made[0].querySelector("summary").focus();
  });
  byId("advice").hidden = !advice.length;
  byId("advice").querySelector("summary").textContent =
    `Advice that costs no points (${count(advice.length)})`;
  byId("advice").querySelector("ol").replaceChildren(...items(advice));
}
