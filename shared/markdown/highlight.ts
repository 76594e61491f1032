import hljs from "highlight.js/lib/common";
import { classOf, pythonText } from "./highlight-classes.ts";

// Highlighting backtracks on hostile code; a longer block is not what anyone reads in a chat.
const longest = 10_000;

/** Code as spans of the classes that clients style (Pygments' short names); undefined for an unknown language. */
export function highlight(source: string, language: string): string | undefined {
  if (source.length > longest || !hljs.getLanguage(language)) return undefined;
  const { value, language: name } = hljs.highlight(source, { language, ignoreIllegals: true });
  return toShortClasses(value, name === "python");
}

const piece = /<span class="([^"]*)">|<\/span>|[^<]+/g;

/** The highlighter's own markup is a sequence of spans and escaped text; only its class names are ours. */
function toShortClasses(html: string, isPython: boolean): string {
  const open: string[] = [];
  let output = "";
  for (const [part, scope] of html.matchAll(piece)) {
    if (part === "</span>") output += open.pop() ?? "";
    else if (scope !== undefined) {
      const name = classOf(scope);
      open.push(name === undefined ? "" : "</span>");
      if (name !== undefined) output += `<span class="${name}">`;
    } else {
      // Quotation marks need no escape in text, and the service writes them plain in highlighted code.
      const text = part.replaceAll("&quot;", '"').replaceAll("&#x27;", "'");
      output += isPython && open.length === 0 ? pythonText(text) : text;
    }
  }
  return output;
}
