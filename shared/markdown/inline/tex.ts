import { atomicElement } from "../element.ts";
import { renderTex } from "../tex.ts";
import type { InlineRule } from "./parser.ts";
import { pattern } from "./pattern.ts";

const word = "[\\p{L}\\p{N}_]";

/** `$$formula$$` on one line, not touching words or further dollar signs. */
export const inlineTex: InlineRule = pattern(
  "tex",
  "$$",
  () => new RegExp(`(?<!${word}|\\$)\\$\\$([^\\n_$](?:\\\\\\$|[^$\\n])*)\\$\\$(?!\\$|${word})`, "gu"),
  (match, { state }) => {
    const html = renderTex(state.facts, match[1]!, false);
    return html === undefined ? atomicElement("span", { class: "tex-error" }, match[0]) : state.html.store(html);
  },
);
