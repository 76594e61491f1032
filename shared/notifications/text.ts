import { toStandaloneHtml } from "./message-html.ts";

const entities: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&amp;": "&",
  "&nbsp;": " ",
};

function decodeEntity(entity: string): string {
  const [, hexadecimal, decimal] = /^&#(?:x([\da-f]+)|(\d+));$/i.exec(entity) ?? [];
  if (hexadecimal === undefined && decimal === undefined) return entities[entity] ?? entity;
  const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  return code > 0x1f && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : entity;
}

/** Converts a message's HTML to plain text of at most `maxCharacters` code points for a notification. Spoilers stay hidden. */
export function notificationText(html: string, maxCharacters = 200): string {
  const text = toStandaloneHtml(html)
    .replace(/<blockquote>\n?/g, "> ")
    .replace(/<li>/g, "• ")
    .replace(/<br>\n?|<\/(p|li|h[1-6]|tr|pre|blockquote|div)>\n?/g, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:lt|gt|quot|amp|nbsp|#\d{1,7}|#x[\da-f]{1,6});/gi, decodeEntity)
    .replace(/\n{2,}/g, "\n")
    .trim();
  const characters = [...text];
  return characters.length <= maxCharacters ? text : `${characters.slice(0, maxCharacters - 1).join("")}…`;
}
