// Looks at report pages in Chromium: node check.mjs CHROMIUM FOLDER. FOLDER holds small.html, conflicts.html, hostile.html and large.html,
// and expected.json. With $SHOTS set to a folder it leaves pictures there. What is wrong is printed, and the exit status is 1.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [chromiumPath, folder] = process.argv.slice(2);
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"));
const pages = ["small", "conflicts", "hostile", "large"];
const widths = [360, 1024, 1600];
const themes = ["light", "dark"];

let faults = 0;
const fault = (what) => { faults++; console.log(what); };
const same = (what, got, want) => { if (JSON.stringify(got) !== JSON.stringify(want)) fault(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`); };

const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

// open loads a page, and takes down whatever it says, asks for or tries.
async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1024, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  const url = pathToFileURL(join(folder, name + ".html")).href;
  page.on("console", (m) => fault(`${name}: console: ${m.text()}`));
  page.on("pageerror", (e) => fault(`${name}: ${e}`));
  page.on("dialog", (d) => { fault(`${name}: a dialog: ${d.message()}`); d.dismiss(); });
  page.on("request", (r) => { if (r.url().split("#")[0] !== url) fault(`${name}: asks for ${r.url()}`); });
  await page.goto(url);
  return { context, page };
}

const unfold = (page) => page.evaluate(() => { for (const d of document.querySelectorAll("details")) d.open = true; });

// Each page renders in every width and theme, no wider than the window.
for (const name of pages) for (const colorScheme of themes) for (const width of widths) {
  if (name === "large" && colorScheme === "dark") continue;
  const { context, page } = await open(name, { colorScheme, viewport: { width, height: 900 } });
  if (name !== "large") await unfold(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (wide > 0) fault(`${name}: ${wide} pixels too wide at ${width}`);
  same(`${name}: background in ${colorScheme}`, await page.evaluate(() => getComputedStyle(document.body).backgroundColor), colorScheme === "dark" ? "rgb(20, 24, 31)" : "rgb(255, 255, 255)");
  same(`${name}: scripts`, await page.evaluate(() => document.scripts.length), 1);
  if (process.env.SHOTS) {
    mkdirSync(process.env.SHOTS, { recursive: true });
    await page.screenshot({ path: join(process.env.SHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: name !== "large" });
  }
  if (name !== "large" && (width === 360 && colorScheme === "light" || width === 1600 && colorScheme === "dark")) {
    await page.evaluate(axeSource);
    const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    for (const v of found.violations) fault(`${name} at ${width}, ${colorScheme}: axe: ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)).join(" | ")}`);
  }
  await context.close();
}

// Names and lines are text: what they say is to be read, and nothing of it is an element.
for (const name of pages) {
  const { context, page } = await open(name);
  const seen = await page.evaluate(() => ({
    files: [...document.querySelectorAll("#files .row .path")].map((e) => e.textContent),
    lines: [...document.querySelectorAll("#files .diff .a")].map((e) => e.textContent),
    ran: window.pwned === undefined ? 0 : 1,
  }));
  same(`${name}: files`, seen.files, expected[name].files);
  same(`${name}: added lines`, seen.lines, expected[name].added);
  same(`${name}: foreign scripts that ran`, seen.ran, 0);
  await context.close();
}

// The filter shows what fits, counts it, and lets go again; all by keyboard.
for (const name of ["small", "large"]) {
  const { context, page } = await open(name);
  const shown = () => page.evaluate(() => [...document.querySelectorAll("#files .file")].filter((e) => !e.hidden && !e.closest("[hidden]")).length);
  const folds = await page.evaluate(() => [...document.querySelectorAll("#files > .fold")].map((d) => d.open));
  await page.keyboard.press("/");
  same(`${name}: focus after /`, await page.evaluate(() => document.activeElement.type), "search");
  const { filter, fits, files } = expected[name];
  await page.keyboard.type(filter.toUpperCase());
  const said = `${fits.toLocaleString("en")} of ${files.length.toLocaleString("en")} files`;
  await page.waitForFunction((s) => document.querySelector("output").textContent === s, said).catch(async () => same(`${name}: said`, await page.textContent("output"), said));
  same(`${name}: shown`, await shown(), fits);
  await page.keyboard.type(" no such file");
  await page.waitForFunction(() => document.querySelector("output").textContent.startsWith("0 of "));
  same(`${name}: shown of nothing`, await shown(), 0);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector("output").textContent === "");
  same(`${name}: shown at the end`, await shown(), files.length);
  same(`${name}: folds at the end`, await page.evaluate(() => [...document.querySelectorAll("#files > .fold")].map((d) => d.open)), folds);
  await context.close();
}

// A difference opens by keyboard, a total leads to its files, all open at once, a command is copied.
{
  const { context, page } = await open("conflicts", { permissions: ["clipboard-read", "clipboard-write"] });
  const row = page.locator("#replace .file summary").first(), lines = page.locator("#replace .diff").first();
  same("difference at first", await lines.isVisible(), false);
  await row.focus();
  await page.keyboard.press("Enter");
  same("difference after Enter", await lines.isVisible(), true);
  same("unchanged at first", await page.locator("#unchanged .file").first().isVisible(), false);
  await page.locator(".tiles a[href='#unchanged']").click();
  await page.waitForFunction(() => document.getElementById("unchanged").open);
  const all = () => page.evaluate(() => { const d = [...document.querySelectorAll("#files .file > details")]; return d.length > 0 && d.every((e) => e.open); });
  await page.getByRole("button", { name: "Open all" }).click();
  same("all open", await all(), true);
  await page.getByRole("button", { name: "Close all" }).click();
  same("all open still", await all(), false);
  const command = page.locator(".verdict .command");
  await command.getByRole("button").click();
  await command.getByText("Copied").waitFor();
  same("copied", await page.evaluate(() => navigator.clipboard.readText()), await command.locator("pre").textContent());
  same("edit and the catalog's change", await page.locator("#conflict .what").count() >= 2, true);
  await context.close();
}

// Without its script all of it is there to read, and folds still open.
for (const name of ["small", "conflicts", "hostile"]) {
  const { context, page } = await open(name, { javaScriptEnabled: false });
  same(`${name}: tools without a script`, await page.locator(".tools").isVisible().catch(() => false), false);
  const row = page.locator("#files .fold[open] summary.row").first();
  await row.click();
  same(`${name}: body without a script`, await page.locator("#files .fold[open] .body").first().isVisible(), true);
  const text = await page.textContent("body");
  for (const file of expected[name].files) if (!text.includes(file)) fault(`${name}: ${file} is not there without a script`);
  // Paper shows what is folded, without the script too.
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  for (const hidden of [".tools", ".skip"]) same(`${name}: ${hidden} on paper`, await page.locator(hidden).first().isVisible().catch(() => false), false);
  const folded = await page.evaluate(() => [...document.querySelectorAll(".diff, .graph svg, .file .path")].filter((e) => e.getBoundingClientRect().height < 5).map((e) => e.textContent.slice(0, 60)));
  same(`${name}: folded on paper`, folded, []);
  const pdf = await page.pdf({ format: "A4" });
  same(`${name}: PDF`, pdf.subarray(0, 5).toString(), "%PDF-");
  await context.close();
}

await browser.close();
process.exit(faults > 0 ? 1 : 0);
