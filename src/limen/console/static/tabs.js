// Tabs by click and by arrow keys; one is open at a time.
import { byId } from "./dom.js";

export function tabs(opened) {
  const list = byId("tabs");
  const all = [...list.querySelectorAll("[role=tab]")];
  const show = (name, { focus = false } = {}) => {
    for (const tab of all) {
      const chosen = tab.getAttribute("aria-controls") === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      byId(tab.getAttribute("aria-controls")).hidden = !chosen;
      if (chosen && focus) tab.focus();
    }
    opened(name);
  };
  list.addEventListener(
    "click",
    ({ target }) =>
      target.role !== "tablist" &&
      target.closest("[role=tab]") &&
      show(target.closest("[role=tab]").getAttribute("aria-controls")),
  );
  list.addEventListener("keydown", (event) => {
    const seen = all.filter((tab) => !tab.hidden);
    const at = seen.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: seen.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    show(seen[(to + seen.length) % seen.length].getAttribute("aria-controls"), { focus: true });
  });
  return show;
}
