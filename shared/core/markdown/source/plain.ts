/** Markdown of texts whose characters mean nothing in it. The web client contains this module too. */

const entities: Record<string, string> = {
  "*": "&#x2a;",
  "`": "&#x60;",
  "[": "&#x5b;",
  "]": "&#x5d;",
  "~": "&#x7e;",
  $: "&#x24;",
  "<": "&lt;",
  "&": "&amp;",
};

/** A text in one line whose characters mean nothing in Markdown: for titles, names and everything else within a sentence. */
export const plain = (text: string): string =>
  oneLine(text)
    .replace(/[*`[\]<]|~(?=~)|\$(?=\$)|&(?=[#\w]+;)/g, (character) => entities[character] ?? character)
    .replace(blockMark, (mark) => mark.slice(0, -1) + entityOf(mark.at(-1)));

export const oneLine = (text: string): string => text.trim().replace(/\s+/g, " ");

/** What would make a text at the beginning of a line a heading, a list, a quotation or a rule. */
const blockMark = /^(?:#(?=#{0,5}\s)|[-+_](?=[-_\s])|>|\d{1,9}[.)](?=\s))/;
const entityOf = (character = ""): string => `&#x${character.charCodeAt(0).toString(16)};`;

/**
 * The name of a thing within a sentence, which nothing in it makes a link, an emoji or a mention: unlike in `plain` texts, where
 * addresses and emoji are wanted.
 */
export const plainName = (name: string): string =>
  plain(name).replace(/(?<=\S)[.:](?=\S)|[@:](?=\S)|(?<![&])#(?=\S)/g, entityOf);
