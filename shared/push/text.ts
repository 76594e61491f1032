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
  const text = html
    .replace(/<div class="spoiler-content"[^>]*>[\s\S]*?<\/div><\/div>/g, "(…)</div>")
    .replace(/<span [^>]*\bclass="emoji emoji-([0-9a-f-]+)"[^>]*>[^<]*<\/span>/g, (_, code: string) => characters(code))
    .replace(/<img [^>]*\balt="([^"]*)"[^>]*>/g, "$1")
    .replace(/<annotation[^>]*>[\s\S]*?<\/annotation>|<span class="katex-html"[\s\S]*?<\/span>/g, "")
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

const characters = (code: string) => String.fromCodePoint(...code.split("-").map((part) => Number.parseInt(part, 16)));
