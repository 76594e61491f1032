import { decodeEntities } from "../../base/html.ts";
import { toStandaloneHtml } from "./message-html.ts";

/** Converts a message's HTML to plain text of at most `maxCharacters` code points for a notification. Spoilers stay hidden. */
export function notificationText(html: string, maxCharacters = 200): string {
  const lines = toStandaloneHtml(html)
    .replace(/<blockquote>\n?/g, "> ")
    .replace(/<li>/g, "• ")
    .replace(/<br>\n?|<\/(p|li|h[1-6]|tr|pre|blockquote|div)>\n?/g, "\n")
    .replace(/<[^>]*>/g, "");
  const text = decodeEntities(lines)
    .replace(/\n{2,}/g, "\n")
    .trim();
  const characters = [...text];
  return characters.length <= maxCharacters ? text : `${characters.slice(0, maxCharacters - 1).join("")}…`;
}
