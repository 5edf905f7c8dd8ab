// Queries in SQL: checked while one writes, sent when one asks; a mistake is shown at its place.
import { el, fill } from "./dom.js";
import { Refused, post } from "./link.js";

/** Statements to begin with, about the middle of the map. */
const EXAMPLES = {
  border: (stream, { x, y, reach }) => `CREATE BORDER centre ON ${stream}\nINSIDE CIRCLE(${x}, ${y}, ${reach});`,
  transition: (stream, { west, south, east, north }) =>
    `CREATE TRANSITION short_visits ON ${stream}\nINSIDE BOX(${west}, ${south}, ${east}, ${north})\nWITHIN INTERVAL 1 MINUTES;`,
  within: (stream, { x, y, reach }) => `CREATE WITHIN around_here ON ${stream}\nINSIDE CIRCLE(${x}, ${y}, ${reach});`,
  nearest: (stream, { x, y }) => `CREATE NEAREST five_nearest ON ${stream}\nkNN (5, ${x}, ${y});`,
};

export class Sql {
  constructor(element, { control, middle }) {
    this.control = control;
    this.middle = middle;
    this.stream = "stream";
    this.text = el("textarea", {
      id: "sql-text",
      rows: 10,
      spellcheck: false,
      placeholder: "CREATE … or DROP …",
      "aria-describedby": "sql-said",
      maxLength: 200_000,
    });
    this.text.addEventListener("input", () => this.soon());
    this.text.addEventListener(
      "keydown",
      (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.send(),
    );
    this.said = el("div", { id: "sql-said", role: "status" });
    this.button = el("button", { type: "button", class: "main", onclick: () => this.send() }, "Send to the job");
    this.file = el("input", { type: "file", accept: ".sql,.txt", id: "sql-file", onchange: () => this.load() });
    fill(
      element,
      el("label", { class: "field", htmlFor: "sql-text" }, el("span", {}, "CREATE and DROP statements")),
      this.text,
      el(
        "p",
        { class: "examples" },
        "Begin with a ",
        Object.keys(EXAMPLES).map((name) =>
          el("button", { type: "button", onclick: () => this.begin(name) }, name),
        ),
      ),
      this.said,
      el(
        "div",
        { class: "row" },
        this.button,
        el("label", { class: "file", htmlFor: "sql-file" }, "From a file", this.file),
      ),
      el("p", { class: "quiet" }, "Ctrl+Enter sends. A query whose name is taken is replaced."),
    );
  }

  /** What statements call the rows of the job. */
  about(stream) {
    this.stream = stream;
  }

  /** Write an example, below what is written. */
  begin(name) {
    const before = this.text.value.trimEnd();
    this.write(`${before}${before ? "\n\n" : ""}${EXAMPLES[name](this.stream, this.middle())}`);
  }

  write(text) {
    this.text.value = text;
    this.text.focus();
    this.check();
  }

  async load() {
    const [file] = this.file.files;
    if (!file) return;
    if (file.size > 200_000)
      return this.say([
        el(
          "p",
          { class: "wrong" },
          `The file has ${file.size} bytes; 200,000 are taken here. limen check and the job file take larger ones.`,
        ),
      ]);
    this.write(await file.text());
    this.file.value = "";
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), 300);
  }

  async check() {
    if (!this.text.value.trim()) return this.say([]);
    await this.run({ check: true });
  }

  async send() {
    if (this.text.value.trim() && this.control().open) await this.run({ check: false });
  }

  async run({ check }) {
    const text = this.text.value;
    try {
      const said = await post(check ? "check" : "sql", { sql: text });
      if (text !== this.text.value) return;
      if (said.error) return this.wrong(new Refused(said), text);
      const found = check ? said.found : said;
      this.text.removeAttribute("aria-invalid");
      const verb = check ? "would " : "sent: ";
      this.say(
        found.flatMap((each) => [
          el("p", { class: "right" }, `${verb}${each.what ?? each.op} ${each.id}`),
          ...(each.warnings ?? []).map((warning) => el("p", { class: "quiet" }, warning)),
        ]),
      );
    } catch (problem) {
      if (text === this.text.value) this.wrong(problem, text);
    }
  }

  /** Show the line, and below it where in it the mistake is. */
  wrong(problem, text) {
    this.text.setAttribute("aria-invalid", "true");
    const parts = [el("p", { class: "wrong" }, problem.message)];
    if (problem.line) {
      const line = text.split("\n")[problem.line - 1] ?? "";
      const place = el("pre", { class: "place" }, `${line}\n${" ".repeat(Math.max(problem.column - 1, 0))}^`);
      const start =
        text
          .split("\n")
          .slice(0, problem.line - 1)
          .join("\n").length +
        (problem.line > 1 ? 1 : 0) +
        problem.column -
        1;
      parts.push(
        place,
        el(
          "button",
          { type: "button", onclick: () => (this.text.focus(), this.text.setSelectionRange(start, start + 1)) },
          "Go there",
        ),
      );
    }
    this.say(parts);
  }

  say(parts) {
    fill(this.said, parts);
  }
}
