import { forOutside } from "../messages/outside.ts";

/** A message's HTML as the text of a notification. */

const entities: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
  "&nbsp;": " ",
};

/** At most so many characters; what a spoiler hides stays hidden. */
export function notificationText(html: string, mostCharacters = 200): string {
  const text = forOutside(html)
    .replace(/<blockquote>\n?/g, "> ")
    .replace(/<li>/g, "• ")
    .replace(/<br>\n?|<\/(p|li|h[1-6]|tr|pre|blockquote|div)>\n?/g, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(lt|gt|quot|#39|amp|nbsp);/g, (entity) => entities[entity] ?? entity)
    .replace(/\n{2,}/g, "\n")
    .trim();
  const all = [...text];
  return all.length <= mostCharacters ? text : `${all.slice(0, mostCharacters - 1).join("")}…`;
}
