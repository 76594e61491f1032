import { plain } from "./text.ts";

/**
 * Jira's wiki markup (https://jira.atlassian.com/secure/WikiRendererHelpAction.jspa?section=all) as Markdown: what people write in
 * descriptions and comments. Whatever else there is stays as it was written. `names`: of people, by their names or IDs in mentions.
 */
export function fromJiraMarkup(text: string, names: ReadonlyMap<string, string> = new Map()): string {
  const blocks = text.replaceAll("\r\n", "\n").split(/\{(code|noformat)(?::([^}\n]{0,100}))?\}/);
  let markdown = "";
  // Between blocks there are a name and its options, so that every third part is text or code.
  for (let at = 0; at < blocks.length; at += 6) {
    markdown += inText(blocks[at] ?? "", names);
    const code = blocks[at + 3];
    if (code === undefined) continue;
    const options = blocks[at + 2] ?? "";
    const language = /^(?:language=)?(\w{1,20})(?:\||$)/.exec(options)?.[1] ?? "";
    const runs = (code.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 2);
    const fence = "`".repeat(runs + 1);
    markdown += `\n${fence}${language}\n${code.replace(/^\n|\n$/g, "")}\n${fence}\n`;
  }
  return markdown.trim();
}

type Names = ReadonlyMap<string, string>;

function inText(text: string, names: Names): string {
  let isQuoted = false;
  return text
    .replace(/\{(?:panel|info|note|tip|warning|expand)(?::([^}\n]{0,200}))?\}/g, (_, options: string = "") => {
      const [, title = ""] = /(?:^|\|)title=([^|]+)/.exec(options) ?? [];
      return title.trim() && `\n*${title.trim()}*\n`;
    })
    .split("\n")
    .map((line) => {
      const marks = line.split("{quote}");
      const wasQuoted = isQuoted;
      if (marks.length % 2 === 0) isQuoted = !isQuoted;
      const written = inLine(marks.join(""), names);
      return (wasQuoted || isQuoted || marks.length > 1) && written.trim() !== "" ? `> ${written}` : written;
    })
    .join("\n");
}

function inLine(line: string, names: Names): string {
  const [, heading] = /^h[1-6]\.\s+(.*)$/.exec(line) ?? [];
  if (heading !== undefined) return `**${inWords(heading, names).replaceAll("**", "")}**`;
  const [, quoted] = /^bq\.\s+(.*)$/.exec(line) ?? [];
  if (quoted !== undefined) return `> ${inWords(quoted, names)}`;
  const [, marks, item] = /^\s*([*#-]{1,6})\s+(.*)$/.exec(line) ?? [];
  if (marks !== undefined && item !== undefined && !/^-{2,}$/.test(marks))
    return `${"  ".repeat(marks.length - 1)}${marks.endsWith("#") ? "1." : "*"} ${inWords(item, names)}`;
  const cells = /^\s*\|\|(.+)\|\|\s*$/.exec(line)?.[1]?.split("||");
  if (cells) return `\n|${cells.map((cell) => inWords(cell, names)).join("|")}|\n|${cells.map(() => "---|").join("")}`;
  return inWords(line, names);
}

function inWords(line: string, names: Names): string {
  return line
    .split(/(\{\{[^{}\n]{1,500}\}\})/)
    .map((part, index) =>
      index % 2 === 1
        ? `\`${part.slice(2, -2).replaceAll("`", "'")}\``
        : part
            .replace(/\{color(?::[^}\s]{1,30})?\}/g, "")
            .replace(/\[~(?:accountid:)?([^\]\s]{1,100})\]/g, (_, id: string) => `@${plain(names.get(id) || id)}`)
            .replace(/\[([^\]|[]{1,500})\|([a-z]{2,10}:[^\]|\s]{1,2000})(?:\|[^\]]{0,100})?\]/g, "[$1]($2)")
            .replace(/\[([a-z]{2,10}:\/\/[^\]|\s]{1,2000})\]/g, "$1")
            .replace(/!([^!|\s]{1,200}\.\w{2,5})(?:\|[^!]{0,100})?!/g, "$1")
            .replace(/(^|[\s(])\*(\S|\S[^*\n]{0,500}\S)\*(?=$|[\s).,:;!?])/g, "$1**$2**")
            .replace(/(^|[\s(])_(\S|\S[^_\n]{0,500}\S)_(?=$|[\s).,:;!?])/g, "$1*$2*")
            .replace(/(^|[\s(])-([^\s-]|[^\s-][^-\n]{0,500}[^\s-])-(?=$|[\s).,:;!?])/g, "$1~~$2~~")
            .replace(/\\([!#()+?[\]^_{|}~-])/g, "$1")
            .replaceAll("\\*", "&#x2a;"),
    )
    .join("");
}
