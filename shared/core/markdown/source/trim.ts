/**
 * Text without a character at its start and end. Regular expressions for the end, such as ` +$`, take quadratic time on text
 * with long runs of the character elsewhere.
 */
export function trimmedOf(text: string, character: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === character) start += 1;
  while (end > start && text[end - 1] === character) end -= 1;
  return text.slice(start, end);
}
