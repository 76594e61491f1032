/**
 * Discord's Markdown (https://support.discord.com/hc/en-us/articles/210298617) as Zulip's, which differ in little. What is code
 * stays as it is.
 */
export const fromDiscordMarkdown = (text: string): string =>
  text
    .split(/(```[\s\S]*?(?:```|$)|`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 0 ? inText(part) : part.startsWith("```") ? fenced(part) : part))
    .join("")
    .trim();

/** Code whose fences are on lines of their own, as Zulip wants them, and which is closed. */
function fenced(part: string): string {
  const [, language = "", code = ""] = /^```(?:(\w{1,20})(?=\n))?([\s\S]*?)(?:```)?$/.exec(part) ?? [];
  return `\n\`\`\`${language}\n${code.replace(/^\n|\n$/g, "")}\n\`\`\`\n`;
}

const inText = (text: string): string =>
  text
    // Emoji of a server, and what only Discord knows by its ID.
    .replace(/<a?:(\w{1,40}):\d{1,25}>/g, ":$1:")
    .replace(/<@[!&]?\d{1,25}>/g, "@someone")
    .replace(/<#\d{1,25}>/g, "#channel")
    .replace(/<\/([^:>\n]{1,100}):\d{1,25}>/g, "/$1")
    .replace(/<t:(-?\d{1,11})(?::[tTdDfFR])?>/g, (written, seconds: string) => {
      const date = new Date(Number(seconds) * 1000);
      return Number.isNaN(date.getTime()) ? written : `<time:${date.toISOString()}>`;
    })
    // A link without a preview.
    .replace(/<(https?:\/\/[^>\s]{1,2000})>/g, "$1")
    .replace(/\|\|([^|\n]{1,1000})\|\|/g, "$1")
    .replace(/__([^_\n](?:[^\n]{0,500}?[^_\n])?)__/g, "**$1**")
    .replace(/^-# +/gm, "");
