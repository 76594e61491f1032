export interface LinkDestination {
  href: string;
  title: string | undefined;
  end: number;
}

const bracketed = /\(\s*<([^<>]*)>\s*(?:('[^']*'|"[^"]*")\s*)?\)/y;
const leadingBlank = /\(\s*/y;

/** Parses `(url)`, `(<url>)` or `(url "title")` at an index. Parentheses in the URL must be in pairs. */
export function readDestination(text: string, index: number): LinkDestination | undefined {
  bracketed.lastIndex = index;
  const simple = bracketed.exec(text);
  if (simple) {
    const [, href = "", title] = simple;
    return { href: href.trim(), title: title?.slice(1, -1), end: bracketed.lastIndex };
  }
  leadingBlank.lastIndex = index;
  leadingBlank.exec(text);
  return readBalanced(text, leadingBlank.lastIndex);
}

interface Quote {
  sign: string;
  start: number;
  end: number;
}

/**
 * Tracks parentheses and quotation marks together, since a title may contain both. A closing parenthesis directly after the
 * closing quotation mark ends the destination. If there turns out to be no title, only the parentheses are balanced.
 */
function readBalanced(text: string, start: number): LinkDestination | undefined {
  let depth = 1;
  let outside = 1;
  let fallback = -1;
  let first: Quote | undefined;
  let second: Quote | undefined;
  let last = "";
  for (let index = start; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === "(") {
      if (!first) depth += 1;
      else if (outside > 0) outside -= 1;
    } else if (character === ")") {
      if (endsTitle(first, last) || endsTitle(second, last)) depth = 0;
      else if (!first) depth -= 1;
      else if (outside > 0) {
        outside -= 1;
        if (outside === 0) fallback = index + 1;
      }
    } else if (character === "'" || character === '"') {
      if (!first) {
        outside = depth;
        depth = 1;
        first = { sign: character, start: index + 1, end: -1 };
      } else if (character === first.sign) first.end = index + 1;
      else if (!second) second = { sign: character, start: index + 1, end: -1 };
      else second.end = index + 1;
    }
    if (depth === 0) {
      const title = endsTitle(first, last) ? first : endsTitle(second, last) ? second : undefined;
      return {
        href: text.slice(start, title ? title.start - 1 : index).trim(),
        title: title && text.slice(title.start, title.end - 1),
        end: index + 1,
      };
    }
    if (character !== " ") last = character;
  }
  if (outside !== 0 || fallback === -1) return undefined;
  return { href: text.slice(start, fallback - 1).trim(), title: undefined, end: fallback };
}

function endsTitle(quote: Quote | undefined, last: string): quote is Quote {
  return quote !== undefined && quote.end >= 0 && quote.sign === last;
}
