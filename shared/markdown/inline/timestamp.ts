import { atomicElement } from "../element.ts";
import { parseTime } from "../time.ts";
import type { InlineRule } from "./parser.ts";
import { pattern } from "./pattern.ts";

/** `<time:...>`: a moment that each reader sees in their own time zone. */
export const timestamp: InlineRule = pattern(
  "timestamp",
  "<time:",
  () => /<time:([^>]*)>/g,
  (match) => {
    const text = match[1]!;
    const time = parseTime(text);
    return time === undefined
      ? atomicElement("span", { class: "timestamp-error" }, `Invalid time format: ${text}`)
      : atomicElement("time", { datetime: time }, text);
  },
);
