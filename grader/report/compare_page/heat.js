// The heat map: only what is in view is drawn, on one canvas that stays in place while its box scrolls.
const heat = { rowHeight: 2, cell: 8, left: 150, top: 64, fit: true, at: { row: 0, check: 0 }, waiting: false,
  paper: false };
const HEIGHT = 480;
const canvas = byId("heat");
const box = byId("map");

function measureHeat() {
  const wide = box.clientWidth;
  heat.left = Math.min(150, Math.max(90, Math.round(wide * 0.28)));
  heat.cell = Math.max(heat.paper ? 1 : 6, (wide - heat.left) / Math.max(1, data.checks.length));
  heat.rowHeight = heat.fit
    ? Math.min(18, Math.max(1, (HEIGHT - heat.top - 4) / Math.max(1, choice.rows.length)))
    : 18;
  const width = Math.ceil(heat.left + heat.cell * data.checks.length);
  const height = Math.ceil(heat.top + heat.rowHeight * choice.rows.length);
  box.style.height = `${Math.min(HEIGHT, height + 4)}px`;
  const scale = devicePixelRatio || 1;
  const view = [box.clientWidth, Math.min(HEIGHT - 2, height)];
  canvas.width = Math.round(view[0] * scale);
  canvas.height = Math.round(view[1] * scale);
  canvas.style.width = `${view[0]}px`;
  canvas.style.height = `${view[1]}px`;
  byId("map-space").style.cssText = `width:${width}px;height:${Math.max(0, height - view[1])}px`;
}

function drawHeat() {
  heat.waiting = false;
  const pen = canvas.getContext("2d");
  const scale = devicePixelRatio || 1;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  const [wide, high] = [canvas.width / scale, canvas.height / scale];
  const colors = Object.fromEntries([..."pfetcbnu"].map((letter) => [letter, color(letter)]));
  const ink = { text: color("ink"), soft: color("soft"), paper: color("paper"), glyph: color("glyph"), bar: color("f"),
    line: color("edge") };
  pen.fillStyle = ink.paper;
  pen.fillRect(0, 0, wide, high);
  const [x0, y0] = [box.scrollLeft, box.scrollTop];
  const first = Math.max(0, Math.floor(y0 / heat.rowHeight));
  const last = Math.min(choice.rows.length, Math.ceil((y0 + high - heat.top) / heat.rowHeight));
  const gap = heat.rowHeight >= 8 ? 1 : 0;
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  for (let place = first; place < last; place += 1) {
    const row = choice.rows[place];
    const y = heat.top + place * heat.rowHeight - y0;
    drawRow(pen, row, y, x0, wide, colors, gap, ink);
    if (heat.rowHeight >= 12) drawName(pen, data.students[row], y, ink);
  }
  drawLeft(pen, ink, high);
  drawHead(pen, x0, wide, ink);
  drawCursor(pen, x0, y0, ink);
}

function drawRow(pen, row, y, x0, wide, colors, gap, ink) {
  const word = data.cells[row];
  const height = Math.max(heat.rowHeight - gap, 1);
  for (let check = Math.floor(x0 / heat.cell); check < word.length; check += 1) {
    const x = heat.left + check * heat.cell - x0;
    if (x > wide) break;
    const letter = word[check];
    if (letter === ".") continue;
    pen.fillStyle = colors[letter];
    pen.fillRect(x, y, Math.max(heat.cell - (heat.cell > 3 ? 1 : 0), 1), height);
    if (heat.rowHeight >= 12 && GLYPHS[letter]) {
      pen.fillStyle = letter === "b" || letter === "u" ? ink.text : ink.glyph;
      pen.textAlign = "center";
      pen.fillText(GLYPHS[letter], x + heat.cell / 2 - 0.5, y + heat.rowHeight / 2);
    }
  }
}

function drawName(pen, name, y, ink) {
  pen.fillStyle = ink.paper;
  pen.fillRect(0, y, heat.left, heat.rowHeight);
  pen.fillStyle = ink.text;
  pen.textAlign = "left";
  let shown = name.length > 40 ? `${name.slice(0, 39)}…` : name;
  while (shown.length > 2 && pen.measureText(shown).width > heat.left - 10) shown = `${shown.slice(0, -2)}…`;
  pen.fillText(shown, 4, y + heat.rowHeight / 2);
}

function drawLeft(pen, ink, high) {
  if (heat.rowHeight >= 12) return;
  pen.fillStyle = ink.paper;
  pen.fillRect(0, 0, heat.left, high);
  pen.fillStyle = ink.soft;
  pen.textAlign = "left";
  pen.fillText(plural(choice.rows.length, "submission", "submissions"), 4, heat.top + 14, heat.left - 10);
  pen.fillText("by " + byId("order").selectedOptions[0].text.slice(0, 22), 4, heat.top + 31, heat.left - 10);
}

// question names, and for each check the share of the shown submissions that does not pass
function drawHead(pen, x0, wide, ink) {
  pen.fillStyle = ink.paper;
  pen.fillRect(0, 0, wide, heat.top - 1);
  let before = "";
  data.checks.forEach((check, place) => {
    const x = heat.left + place * heat.cell - x0;
    if (check.question !== before) {
      before = check.question;
      const last = data.checks.findLastIndex((one) => one.question === check.question);
      drawQuestion(pen, check.question, x, heat.left + (last + 1) * heat.cell - x0, ink);
    }
    const share = heat.shares[place];
    pen.fillStyle = ink.bar;
    pen.fillRect(x, heat.top - 4 - 34 * share, Math.max(heat.cell - 1, 1), 34 * share);
  });
  pen.fillStyle = ink.paper;
  pen.fillRect(0, 0, heat.left, heat.top - 1);
  pen.fillStyle = ink.soft;
  pen.textAlign = "left";
  pen.fillText("not passed", 4, heat.top - 20);
  pen.fillStyle = ink.line;
  pen.fillRect(0, heat.top - 2, wide, 1);
}

function drawQuestion(pen, name, x, end, ink) {
  const from = Math.max(x, heat.left);
  pen.fillStyle = ink.line;
  pen.fillRect(x, 2, 1, heat.top - 4);
  pen.save();
  pen.beginPath();
  pen.rect(from, 0, Math.max(0, end - from - 4), 24);
  pen.clip();
  pen.fillStyle = ink.text;
  pen.textAlign = "left";
  pen.fillText(name, from + 4, 12);
  pen.restore();
}

function drawCursor(pen, x0, y0, ink) {
  if (document.activeElement !== canvas || !choice.rows.length) return;
  const x = heat.left + heat.at.check * heat.cell - x0;
  const y = heat.top + heat.at.row * heat.rowHeight - y0;
  pen.strokeStyle = ink.text;
  pen.lineWidth = 2;
  pen.strokeRect(x - 1, y - 1, heat.cell + 1, Math.max(heat.rowHeight, 3) + 1);
}

function laterHeat() {
  if (heat.waiting) return;
  heat.waiting = true;
  requestAnimationFrame(drawHeat);
}

function renewHeat() {
  heat.shares = data.checks.map((_, check) => choice.rows.filter((row) =>
    !"pn.".includes(letterAt(row, check))).length / Math.max(1, choice.rows.length));
  heat.at.row = Math.min(heat.at.row, Math.max(0, choice.rows.length - 1));
  measureHeat();
  box.scrollTop = 0;
  laterHeat();
}

function placeAt(event) {
  const bounds = canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
  const check = x < heat.left ? -1 : Math.floor((x - heat.left + box.scrollLeft) / heat.cell);
  const row = y < heat.top ? -1 : Math.floor((y - heat.top + box.scrollTop) / heat.rowHeight);
  return { check: check < data.checks.length ? check : -1, row: row < choice.rows.length ? row : -2 };
}

function status({ row, check }) {
  if (row === -1 && check >= 0) {
    const failing = Math.round(100 * heat.shares[check]);
    return `${data.checks[check].id}: ${data.checks[check].title}; ${failing} % do not pass`;
  }
  if (row < 0) return "";
  const real = choice.rows[row];
  if (check < 0) return `${data.students[real]}: ${points(data.scores[real])} points`;
  const failure = failedOf[real].get(check);
  const said = failure === undefined ? "" : `: ${data.strings[data.failures[failure][0]].slice(0, 200)}`;
  return `${data.students[real]} · ${data.checks[check].id} · ${VERDICTS[letterAt(real, check)]}${said}`;
}

function openAt({ row, check }) {
  if (row === -1 && check >= 0) choose({ order: `check ${check}` });
  else if (row >= 0 && check >= 0) openCell(choice.rows[row], check);
  else if (row >= 0) openRow(choice.rows[row]);
}

function moveCursor(event) {
  const pages = { PageUp: -10, PageDown: 10 };
  const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  if (event.key === "Enter" || event.key === " ") openAt(heat.at);
  else if (moves[event.key] || pages[event.key]) {
    const [down, right] = moves[event.key] || [pages[event.key], 0];
    heat.at.row = Math.min(Math.max(0, heat.at.row + down), Math.max(0, choice.rows.length - 1));
    heat.at.check = Math.min(Math.max(0, heat.at.check + right), data.checks.length - 1);
    follow();
  } else return;
  event.preventDefault();
}

function follow() {
  const [x, y] = [heat.at.check * heat.cell, heat.at.row * heat.rowHeight];
  const [wide, high] = [box.clientWidth - heat.left, box.clientHeight - heat.top - 20];
  box.scrollLeft = Math.min(Math.max(box.scrollLeft, x + heat.cell - wide), x);
  box.scrollTop = Math.min(Math.max(box.scrollTop, y + heat.rowHeight - high), y);
  byId("map-status").textContent = status(heat.at);
  laterHeat();
}

function setRows(fit) {
  heat.fit = fit;
  byId("fit").setAttribute("aria-pressed", fit);
  byId("zoom").setAttribute("aria-pressed", !fit);
  renewHeat();
}

function setUpHeat() {
  byId("legend").replaceChildren(...[..."pfetcbun"].map((letter) => el("li", {},
    el("span", { style: `background: var(--${letter})` }), VERDICTS[letter])));
  byId("fit").addEventListener("click", () => setRows(true));
  byId("zoom").addEventListener("click", () => setRows(false));
  box.addEventListener("scroll", laterHeat);
  canvas.addEventListener("click", (event) => openAt(placeAt(event)));
  canvas.addEventListener("mousemove", (event) => { byId("map-status").textContent = status(placeAt(event)); });
  canvas.addEventListener("keydown", moveCursor);
  canvas.addEventListener("focus", () => { byId("map-status").textContent = status(heat.at); laterHeat(); });
  canvas.addEventListener("blur", laterHeat);
  new ResizeObserver(() => { measureHeat(); laterHeat(); }).observe(box);
  followers.push(renewHeat);
}
