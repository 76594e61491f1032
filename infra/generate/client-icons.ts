/**
 * Generates the web client's PNG icons from its SVG icons: `node infra/generate/client-icons.ts <chromium>`, where the
 * argument is the path of a Chromium. Some browsers and systems refuse to install a page that only has SVG icons.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { chromium } from "playwright-core";

const executablePath = process.argv[2];
if (!executablePath) throw new Error("Pass the path of Chromium");
const folder = resolve(import.meta.dirname, "../../web");

/** The first icon has no transparent corners: iOS fills these with black. */
const icons = [
  { from: "icon-maskable.svg", size: 180, to: "icon-180.png" },
  { from: "icon.svg", size: 192, to: "icon-192.png" },
  { from: "icon.svg", size: 512, to: "icon-512.png" },
  { from: "icon-maskable.svg", size: 512, to: "icon-maskable-512.png" },
];

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
for (const { from, size, to } of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  const source = readFileSync(resolve(folder, from)).toString("base64");
  await page.setContent(
    `<body style="margin:0"><img src="data:image/svg+xml;base64,${source}" style="display:block;width:${size}px;height:${size}px">`,
  );
  writeFileSync(resolve(folder, to), await page.screenshot({ omitBackground: true }));
  await page.close();
}
await browser.close();
