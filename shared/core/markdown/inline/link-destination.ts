interface LinkDestination {
  href: string;
  title: string | undefined;
  /** The index after the closing parenthesis. */
  end: number;
}

const bracketed = /\(\s*<([^<>]*)>\s*(?:('[^']*'|"[^"]*")\s*)?\)/y;
const leadingBlank = /\(\s*/y;

/** Parses `(url)`, `(<url>)` or `(url "title")` at an index. Parentheses in the URL must be in pairs. */
export function readDestination(text: string, index: number): LinkDestination | undefined {
  bracketed.lastIndex = index;
  const match = bracketed.exec(text);
  if (match) {
    const [, href = "", title] = match;
    return { href: href.trim(), title: title?.slice(1, -1), end: bracketed.lastIndex };
  }
  leadingBlank.lastIndex = index;
  leadingBlank.exec(text);
  return readBalanced(text, leadingBlank.lastIndex);
}

/** Text in quotation marks, which may be the title. */
interface Quote {
  quoteMark: string;
  /** The index after the opening quotation mark. */
  start: number;
  /** The index after the last closing quotation mark so far. */
  end?: number;
}

/**
 * Tracks parentheses and quotation marks together, since a title may contain both. A closing parenthesis directly after the
 * closing quotation mark ends the destination. If there turns out to be no title, the destination ends at the parenthesis that
 * balances the first one.
 */
function readBalanced(text: string, start: number): LinkDestination | undefined {
  // After the first quotation mark, only a title's end closes the remaining parenthesis.
  let openParentheses = 1;
  let openOutsideTitle = 1;
  let endWithoutTitle: number | undefined;
  let firstQuote: Quote | undefined;
  let secondQuote: Quote | undefined;
  let lastNonSpace = "";
  for (let index = start; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === "(") {
      if (!firstQuote) openParentheses += 1;
      else if (openOutsideTitle > 0) openOutsideTitle -= 1;
    } else if (character === ")") {
      if (endsTitle(firstQuote, lastNonSpace) || endsTitle(secondQuote, lastNonSpace)) openParentheses = 0;
      else if (!firstQuote) openParentheses -= 1;
      else if (openOutsideTitle > 0) {
        openOutsideTitle -= 1;
        if (openOutsideTitle === 0) endWithoutTitle = index + 1;
      }
    } else if (character === "'" || character === '"') {
      if (!firstQuote) {
        openOutsideTitle = openParentheses;
        openParentheses = 1;
        firstQuote = { quoteMark: character, start: index + 1 };
      } else if (character === firstQuote.quoteMark) firstQuote.end = index + 1;
      else if (!secondQuote) secondQuote = { quoteMark: character, start: index + 1 };
      else secondQuote.end = index + 1;
    }
    if (openParentheses === 0) {
      const title = [firstQuote, secondQuote].find((quote) => endsTitle(quote, lastNonSpace));
      return {
        href: text.slice(start, title ? title.start - 1 : index).trim(),
        title: title && text.slice(title.start, (title.end ?? title.start) - 1),
        end: index + 1,
      };
    }
    if (character !== " ") lastNonSpace = character;
  }
  if (openOutsideTitle !== 0 || endWithoutTitle === undefined) return undefined;
  return { href: text.slice(start, endWithoutTitle - 1).trim(), title: undefined, end: endWithoutTitle };
}

const endsTitle = (quote: Quote | undefined, lastNonSpace: string): boolean =>
  quote?.end !== undefined && quote.quoteMark === lastNonSpace;
