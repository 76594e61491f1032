import { toStandaloneHtml } from "./message-html.ts";

/** Converts a message's HTML to the text of a notification. */

const entities: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
  "&nbsp;": " ",
};

/** Truncated to `maxCharacters`; spoilers stay hidden. */
export function notificationText(html: string, maxCharacters = 200): string {
  const text = toStandaloneHtml(html)
    .replace(/<blockquote>\n?/g, "> ")
    .replace(/<li>/g, "• ")
    .replace(/<br>\n?|<\/(p|li|h[1-6]|tr|pre|blockquote|div)>\n?/g, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(lt|gt|quot|#39|amp|nbsp);/g, (entity) => entities[entity] ?? entity)
    .replace(/\n{2,}/g, "\n")
    .trim();
  const all = [...text];
  return all.length <= maxCharacters ? text : `${all.slice(0, maxCharacters - 1).join("")}…`;
}
