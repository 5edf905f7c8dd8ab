// Light by default, dark if one likes; remembered by the browser.
import { byId } from "./dom.js";

export function theme(changed) {
  const button = byId("theme");
  const set = (dark) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.setAttribute("aria-pressed", String(dark));
    changed();
  };
  set(localStorage.getItem("limen-theme") === "dark");
  button.addEventListener("click", () => {
    const dark = document.documentElement.dataset.theme !== "dark";
    localStorage.setItem("limen-theme", dark ? "dark" : "light");
    set(dark);
  });
}
