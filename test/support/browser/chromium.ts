import { existsSync } from "node:fs";

/** The installed Chromium, if there is one. */
export const chromiumPath = [
  process.env.SKEIN_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
]
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path));
