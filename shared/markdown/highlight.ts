import hljs from "highlight.js/lib/common";
import { classOf, pythonText } from "./highlight-classes.ts";

// The highlighter's expressions backtrack within a line, and some take quadratic time on a word of thousands of letters.
const longestLine = 300;

/** Code as spans of the classes that clients style (Pygments' short names); undefined for an unknown language. */
export function highlight(source: string, language: string): string | undefined {
  if (!hljs.getLanguage(language)) return undefined;
  if (source.split("\n").some((line) => line.length > longestLine)) return undefined;
  const { value, language: name } = hljs.highlight(source, { language, ignoreIllegals: true });
  return toShortClasses(value, name === "python");
}

const piece = /<span class="([^"]*)">([^<]*)|<\/span>|[^<]+/g;

/** The highlighter's own markup is a sequence of spans and escaped text; only its class names are ours. */
function toShortClasses(html: string, isPython: boolean): string {
  const open: string[] = [];
  let output = "";
  for (const [part, scope, inside = ""] of html.matchAll(piece)) {
    if (part === "</span>") output += open.pop() ?? "";
    else if (scope !== undefined) {
      const text = plainQuotes(inside);
      const name = classOf(scope, text);
      open.push(name === undefined ? "" : "</span>");
      output += name === undefined ? text : `<span class="${name}">${text}`;
    } else output += isPython && !open.includes("</span>") ? pythonText(plainQuotes(part)) : plainQuotes(part);
  }
  return output;
}

/** Quotation marks need no escape in text, and the service writes them plain in highlighted code. */
function plainQuotes(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&#x27;", "'");
}
