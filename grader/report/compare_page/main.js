// The head of the page, light and dark, and everything set up in order.
const THEMES = ["auto", "light", "dark"];

function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  byId("theme").textContent = `Theme: ${name}`;
  byId("theme").onclick = () => setTheme(THEMES[(THEMES.indexOf(name) + 1) % THEMES.length]);
  laterHeat();
}

function setUpHead() {
  const { facts } = data;
  const known = Object.entries(facts.conditions).map(([name, values]) => `${name} ${values.join(" and ")}`);
  byId("title").textContent = data.title;
  byId("facts").textContent = [facts.when, ...known].filter(Boolean).join(" · ");
  byId("problems").hidden = !data.problems.length;
  byId("problem-list").replaceChildren(...data.problems.map(([name, reason]) =>
    el("li", {}, el("strong", {}, name), `: ${reason}`)));
  byId("sections").replaceChildren(...[...document.querySelectorAll("main > section:not([hidden])")].map((section) =>
    el("li", {}, el("a", { href: `#${section.id}` }, section.querySelector("h2").textContent))));
}

// paper is white: everything is drawn again in light before a print, and as it was after it
function setUpPrint() {
  let before = "auto";
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme || "auto";
    setTheme("light");
    heat.paper = true;
    measureHeat();
    drawHeat();
  });
  addEventListener("afterprint", () => {
    heat.paper = false;
    measureHeat();
    setTheme(before);
  });
}

setUpChoice();
setUpDialog();
setUpScores();
setUpMistakes();
setUpTable();
setUpHeat();
setUpWork();
setUpSimilar();
setUpChanges();
setUpHead();
setUpPrint();
setTheme("auto");
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", laterHeat);
choose({});
document.documentElement.dataset.ready = "yes";
