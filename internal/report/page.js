"use strict";
(() => {
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  document.documentElement.classList.add("js");

  // What a link leads to is to be seen.
  const unfold = () => {
    const id = location.hash.slice(1);
    for (let at = id && document.getElementById(id); at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();

  // Paper shows everything, in browsers that know no ::details-content too.
  let folded = [];
  addEventListener("beforeprint", () => { folded = all("details:not([open])"); for (const d of folded) d.open = true; });
  addEventListener("afterprint", () => { for (const d of folded) d.open = false; folded = []; });

  for (const box of all(".command")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy the command");
    button.addEventListener("click", async () => {
      const pre = box.querySelector("pre");
      try {
        await navigator.clipboard.writeText(pre.textContent);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
      } catch { getSelection().selectAllChildren(pre); }
    });
    box.append(button);
  }

  const tools = document.querySelector(".tools");
  if (!tools) return;
  tools.hidden = false;
  const field = tools.querySelector("input"), said = tools.querySelector("output"), open = tools.querySelector("button");
  const buckets = all("#files > .fold").map((fold) => ({
    fold, was: fold.open, number: fold.querySelector("small"),
    files: all(".file", fold).map((item) => ({ item, text: item.querySelector(".row").textContent.toLowerCase() })),
  }));
  for (const b of buckets) b.whole = b.number.textContent;
  const total = buckets.reduce((sum, b) => sum + b.files.length, 0);
  let filtering = false;
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const b of buckets) {
      let here = 0;
      for (const f of b.files) {
        const fits = words.every((w) => f.text.includes(w));
        if (f.item.hidden === fits) f.item.hidden = !fits;
        if (fits) here++;
      }
      found += here;
      b.fold.hidden = words.length > 0 && here === 0;
      b.number.textContent = words.length > 0 ? here.toLocaleString("en") + " of " + b.whole : b.whole;
      if (words.length === 0) { if (filtering) b.fold.open = b.was; } else { if (!filtering) b.was = b.fold.open; b.fold.open = here > 0; }
    }
    filtering = words.length > 0;
    said.textContent = filtering ? found.toLocaleString("en") + " of " + total.toLocaleString("en") + (total === 1 ? " file" : " files") : "";
  };
  let waiting = 0;
  field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, total > 2000 ? 120 : 0); });
  if (field.value) filter();

  let opened = false;
  open.addEventListener("click", () => {
    opened = !opened;
    for (const b of buckets) for (const f of b.files) {
      const details = f.item.firstElementChild;
      if (details.tagName === "DETAILS" && (!opened || !f.item.hidden)) details.open = opened;
    }
    open.textContent = opened ? "Close all" : "Open all";
  });

  addEventListener("keydown", (e) => {
    if (e.key === "/" && !e.ctrlKey && !e.metaKey && !e.altKey && document.activeElement !== field) {
      e.preventDefault();
      field.focus();
      field.select();
    } else if (e.key === "Escape" && document.activeElement === field && field.value) {
      field.value = "";
      filter();
    }
  });
})();
