import * as z from "zod/mini";
import { limits } from "../../base/limits.ts";
import { quoted as fencedQuotation } from "../../core/markdown/source/fenced.ts";
import { plain } from "../../core/markdown/source/plain.ts";
import { flag, listOf, maybe, number, object, type output, text } from "./fields.ts";
import { emphasized, joined, marked, type Piece } from "./slack-emphasis.ts";
import { linkableUrl, webUrl } from "./text.ts";

/** Slack's markup, blocks and attachments, and what they are in Markdown. See https://docs.slack.dev/messaging/formatting-message-text. */

const style = maybe(object({ bold: flag(), italic: flag(), strike: flag(), code: flag() }));
const richElement = object({
  ...{ text: text(), url: text(), name: text(), type: text(), style },
  ...{ user_id: text(), channel_id: text(), usergroup_id: text(), range: text(), fallback: text(), value: text() },
  ...{ unicode: text(), timestamp: number() },
});
const richPart = object({
  ...{ type: text(), style: text(), indent: number(), offset: number(), border: number() },
  elements: listOf(object({ ...richElement.shape, elements: listOf(richElement) })),
});
/** A text: of a context's element and of a block of Markdown a string, of a button and of a section an object. */
const textOrObject = z.union([
  object({ type: text(), text: text() }),
  z.pipe(
    text(),
    z.transform((string) => ({ type: "", text: string })),
  ),
]);
const textObject = maybe(object({ type: text(), text: text() }));
/** A cell of a table: rich text, or text without any formatting. */
const cell = object({ type: text(), text: text(), elements: listOf(richPart) });
const image = { image_url: text(), alt_text: text() };

export const slackBlock = object({
  type: text(),
  text: textOrObject,
  fields: listOf(object({ type: text(), text: text() })),
  accessory: maybe(object({ type: text(), url: text(), text: textObject, title: textObject, ...image })),
  title: textObject,
  elements: listOf(object({ ...richPart.shape, text: textOrObject, url: text(), ...image })),
  rows: listOf(listOf(cell)),
  ...image,
  ...{ title_url: text(), video_url: text(), description: textObject },
});

export const slackAttachment = object({
  title: text(),
  title_link: text(),
  pretext: text(),
  author_name: text(),
  author_link: text(),
  text: text(),
  fallback: text(),
  fields: listOf(object({ title: text(), value: text(), short: flag() })),
  blocks: listOf(slackBlock),
  actions: listOf(object({ text: text(), url: text() })),
  image_url: text(),
  footer: text(),
  ts: number(),
});

type SlackBlock = output<typeof slackBlock>;
type SlackAttachment = output<typeof slackAttachment>;
type RichPart = output<typeof richPart>;
type RichElement = output<typeof richElement>;

/** What the things that a text names are called. Each function gets Slack's ID and the label that the text gives it, if any. */
export interface SlackNames {
  user(id: string, label: string): string;
  /** The same for a cell of a table, where a mention cannot have an ID, because a bar would end the cell. */
  userInCell(id: string, label: string): string;
  channel(id: string, label: string): string;
  userGroup(id: string, label: string): string;
  /** `here`, `channel` or `everyone`. */
  broadcast(range: string, label: string): string;
  /** An emoji with its colons; undefined: as Slack writes it. */
  emoji(name: string): string | undefined;
  /** The address that a link leads to; undefined: there is no link. */
  link(url: string): string | undefined;
}

const plainUser = (id: string, label: string) => `@${label.replace(/^@/, "") || id}`;

/** Names that mention nobody and lead nowhere. */
export const plainSlackNames: SlackNames = {
  user: plainUser,
  userInCell: plainUser,
  channel: (id, label) => `#${label.replace(/^#/, "") || id}`,
  userGroup: (_, label) => label || "@subteam",
  broadcast: (range, label) => label || `@${range}`,
  emoji: () => undefined,
  link: webUrl,
};

/** The Markdown of Slack's texts, blocks and attachments. */
export class SlackMarkup {
  readonly #names: SlackNames;
  constructor(names: SlackNames) {
    this.#names = names;
  }

  /** The Markdown of `*bold*`, `_italic_`, `~struck~` and `<url|text>`. Text in backticks stays as it is. */
  fromMrkdwn(mrkdwn = ""): string {
    const quotation = restQuotation(mrkdwn);
    const own = quotation ? mrkdwn.slice(0, quotation.start) : mrkdwn;
    const rest = quotation ? fencedQuotation(emphasized([...this.#pieces(mrkdwn.slice(quotation.end))])) : "";
    const written = emphasized([...this.#pieces(own)]) + rest;
    // In Markdown, a quotation goes on in the next line unless there is an empty one between.
    return written.replace(/^(>.*)\n(?=[^>\n])/gm, "$1\n\n");
  }

  blockText(block: SlackBlock): string {
    switch (block.type) {
      case "header":
        return `## ${plainLine(this.#text({ ...block.text, type: "plain_text" }))}`;
      case "divider":
        return "----";
      case "image":
        return this.#imageLink(block.title?.text || block.alt_text, block.image_url);
      case "context":
        return block.elements
          .map((element) =>
            element.image_url
              ? this.#imageLink(element.alt_text, element.image_url)
              : this.#text({ type: element.type, text: element.text.text }),
          )
          .join(" ");
      case "actions":
        return block.elements.map(({ text, url }) => this.linkTo(this.#text(text), url)).join(" ");
      case "rich_text":
        return this.#richTexts(block.elements);
      case "table":
        return this.#table(block.rows);
      case "markdown":
        return block.text.text;
      case "video":
        return [
          this.linkTo(block.title?.text || block.alt_text || "video", block.title_url || block.video_url),
          this.#text(block.description),
        ]
          .filter((part) => part !== "")
          .join("\n\n");
      default:
        return this.#sectionText(block);
    }
  }

  attachmentText(item: SlackAttachment): string {
    const pieces = [
      item.pretext && this.fromMrkdwn(item.pretext),
      item.author_name && `**${this.linkTo(plain(decoded(item.author_name)), item.author_link)}**`,
      item.title && `## ${this.linkTo(this.fromMrkdwn(item.title), item.title_link)}`,
      this.fromMrkdwn(item.text),
      item.fields
        .map(({ title, value }) =>
          title ? `**${plainLine(title)}**: ${this.fromMrkdwn(value)}` : this.fromMrkdwn(value),
        )
        .join("\n"),
      ...item.blocks.map((block) => this.blockText(block)),
      // Buttons that lead nowhere are for the program that sent them.
      item.actions
        .filter(({ url }) => url !== "")
        .map(({ text, url }) => this.linkTo(plain(decoded(text)), url))
        .join(" "),
      item.image_url && this.#imageLink("", item.image_url),
      item.footer && this.fromMrkdwn(item.footer),
      timeOf(item.ts),
    ].filter((piece) => typeof piece === "string" && piece.trim() !== "");
    if (pieces.length > 0) return pieces.join("\n\n");
    return item.fallback === "[no preview available]" ? "" : this.fromMrkdwn(item.fallback);
  }

  linkTo(label: string, url: string): string {
    return linked(label, this.#names.link(url));
  }

  #imageLink(label: string | undefined, url: string): string {
    return this.linkTo(label || "image", url);
  }

  /** A text of a block: of the type `plain_text` without any marks but emoji. */
  #text({ type, text }: { type: string; text: string } = { type: "", text: "" }): string {
    return type === "plain_text" ? decoded(text).split("\n").map(plain).join("\n") : this.fromMrkdwn(text);
  }

  #sectionText({ text, fields, accessory }: SlackBlock): string {
    const label = accessory?.text?.text || accessory?.alt_text || accessory?.title?.text || "";
    return [
      this.#text(text),
      ...fields.map((field) => this.#text(field)),
      ...(accessory?.image_url
        ? [this.#imageLink(label, accessory.image_url)]
        : accessory?.url
          ? [this.linkTo(label, accessory.url)]
          : []),
    ]
      .filter((part) => part !== "")
      .join("\n\n");
  }

  #richTexts(parts: readonly RichPart[]): string {
    return parts
      .map((part, index) => {
        // In Markdown, a line below a list belongs to its last item unless there is an empty one between.
        const endsList = part.type === "rich_text_list" && (parts[index + 1]?.type ?? part.type) !== part.type;
        const written = this.#richText(part) + (endsList ? "\n" : "");
        return part.border > 0 ? quoted(written) : written;
      })
      .join("\n")
      .replace(/^(>.*)\n(?=[^>\n])/gm, "$1\n\n");
  }

  /** A table, whose first row is its head. A cell is one line. Rows beyond what a message holds are not written. */
  #table(allRows: SlackBlock["rows"]): string {
    const width = Math.max(0, ...allRows.map(({ length }) => length));
    if (width === 0) return "";
    const rows = allRows.slice(0, Math.ceil(limits.messageLength / (charactersPerCell * width)));
    const inCells = new SlackMarkup({ ...this.#names, user: this.#names.userInCell });
    const lines = rows.map((row) => {
      const cells = row.map(({ text, elements }) =>
        withoutBars(plainLine(elements.length > 0 ? inCells.#richTexts(elements) : text)),
      );
      return `| ${[...cells, ...Array<string>(width - row.length).fill("")].join(" | ")} |`;
    });
    return [lines[0], `|${" --- |".repeat(width)}`, ...lines.slice(1)].join("\n");
  }

  #richText({ type, elements, style, indent, offset }: RichPart): string {
    const inline = (parts: readonly RichElement[]) => joined(parts.map((part) => this.#richElement(part)));
    if (type === "rich_text_list")
      return elements
        .map((item, index) => {
          const bullet = style === "ordered" ? `${Math.min(Math.max(0, offset), 1e6) + index + 1}.` : "*";
          return `${"  ".repeat(Math.min(Math.max(0, indent), 8))}${bullet} ${inline(item.elements)}`;
        })
        .join("\n");
    if (type === "rich_text_preformatted") return fenced(elements.map(({ text, url }) => text || url).join(""));
    const line = inline(elements);
    return type === "rich_text_quote" ? quoted(line) : line;
  }

  #richElement(element: RichElement): Piece {
    const { type, text, url, name, style } = element;
    const mention = (written: string): Piece => ({ kind: "mention", text: written });
    switch (type) {
      case "link":
        return styledLink(/^https?:/i.test(url) ? this.linkTo(text || url, url) : otherLink(text, url), style);
      case "emoji":
        return {
          kind: "other",
          text: this.#names.emoji(name) ?? (charactersOf(element.unicode) || `:${name.replace(skinTone, "")}:`),
        };
      case "user":
        return mention(this.#names.user(element.user_id, userLabel(element.user_id)));
      case "channel":
        return mention(this.#names.channel(element.channel_id, ""));
      case "usergroup":
        return mention(this.#names.userGroup(element.usergroup_id, ""));
      case "broadcast":
        return mention(this.#names.broadcast(element.range, ""));
      case "date":
        return { kind: "other", text: element.fallback || timeOf(element.timestamp) };
      case "color":
        return { kind: "text", text: element.value };
      default:
        return styled(text, style);
    }
  }

  /** A text in parts: what stands for something else, signs of emphasis, and the text between them. */
  *#pieces(mrkdwn: string): Generator<Piece> {
    let isLineStart = true;
    for (const [part] of mrkdwn.matchAll(partPattern)) {
      // Backticks without code are text, as in Slack.
      if (part.startsWith("`"))
        yield part.length > 2 && part.endsWith("`")
          ? { kind: "other", text: codeOf(part) }
          : { kind: "text", text: part.replaceAll("`", "&#x60;") };
      else if (/^<[^>]*>$/.test(part)) yield this.#reference(part.slice(1, -1));
      else if (/^[*_~]$/.test(part)) yield { kind: "sign", text: part };
      else {
        const emoji = /^:(.+?):/.exec(part)?.[1];
        const known = emoji === undefined ? undefined : this.#names.emoji(emoji);
        if (emoji !== undefined) yield { kind: known === undefined ? "text" : "other", text: known ?? `:${emoji}:` };
        else
          yield { kind: "text", text: isLineStart ? decoded(part).replace(/^#(?=#{0,5}\s)/, "&#x23;") : decoded(part) };
      }
      isLineStart = part === "\n";
    }
  }

  /** What Slack writes in angle brackets: a link, a user (`@U1|name`), a channel (`#C1|name`), or a command (`!here`). */
  #reference(inside: string): Piece {
    const bar = inside.indexOf("|");
    const [target, encodedLabel] = bar < 0 ? [inside, ""] : [inside.slice(0, bar), inside.slice(bar + 1)];
    const label = decoded(encodedLabel);
    const mention = (text: string): Piece => ({ kind: "mention", text });
    if (target.startsWith("@")) return mention(this.#names.user(target.slice(1), userLabel(target.slice(1), label)));
    if (target.startsWith("#")) return mention(this.#names.channel(target.slice(1), label));
    if (target.startsWith("!subteam^")) return mention(this.#names.userGroup(target.slice("!subteam^".length), label));
    if (/^!(here|channel|everyone)$/.test(target)) return mention(this.#names.broadcast(target.slice(1), label));
    const address = label === "" && /^https?:/i.test(target) ? this.#names.link(decoded(target)) : undefined;
    return address === undefined
      ? { kind: "other", text: this.#link(target, label) ?? `<${inside}>` }
      : { kind: "address", text: address };
  }

  #link(target: string, label: string): string | undefined {
    const [, seconds = "", dateUrl = ""] = /^!date\^(\d{1,12})\^[^^]*(?:\^(.*))?$/.exec(target) ?? [];
    if (dateUrl && label) return this.linkTo(label, decoded(dateUrl));
    if (target.startsWith("!"))
      return label || (seconds ? timeOf(Number(seconds)) : `@${target.slice(1).split("^")[0]}`);
    const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(target) ?? [];
    if (!scheme) return undefined;
    const url = decoded(target);
    if (/^https?$/i.test(scheme)) return label ? this.linkTo(label, url) : (this.#names.link(url) ?? url);
    return otherLink(label, url);
  }
}

function linked(label: string, destination: string | undefined): string {
  const line = plainLine(label).replace(/[[\]]/g, "");
  return destination === undefined ? line : `[${line || destination}](${destination})`;
}

/** A link that is none of the web, such as a telephone number. One that a message cannot have is its label alone. */
function otherLink(label: string, url: string): string {
  const address = url.replace(/^(?:mailto|tel|sms):([^?]*).*/is, "$1");
  return !label || withoutSigns(label) === withoutSigns(address) ? label || address : linked(label, linkableUrl(url));
}

/** Telephone numbers are written in several ways. */
const withoutSigns = (text: string) => text.replace(/[\s().-]/g, "").toLowerCase();

/** Slack's own bot is in no list of users. */
const userLabel = (id: string, label = "") => label || (id === "USLACKBOT" ? "Slackbot" : "");

/** What a text's parts are: code, something in angle brackets, an emoji with or without a skin tone, signs, and text between them. */
const partPattern =
  /```[\s\S]*?```|`[^`\n]*`|<[^<>\n]*>|:[\w+'-]{1,100}:(?::skin-tone-[2-6]:)?|([*_~])\1*|\n|[^`<:*_~\n]+|./g;

/** The chat has no skin tones. */
const skinTone = /::skin-tone-[2-6]$/;

/** Where `>>>` stands, which makes everything behind it a quotation. */
function restQuotation(mrkdwn: string): { start: number; end: number } | undefined {
  for (const { 0: found, index } of mrkdwn.matchAll(/```[\s\S]*?```|^(?:&gt;|>){3}[^\S\n]*(?=\s*\S)/gm))
    if (!found.startsWith("`")) return { start: index, end: index + found.length };
  return undefined;
}

/** Of an empty cell. */
const charactersPerCell = 3;

const timeOf = (seconds: number) => (seconds > 0 && seconds < 8e12 ? `<time:${Math.floor(seconds)}>` : "");

/** The characters of an emoji, whose code points Slack writes as `1f44b-1f3fd`; empty for anything else. */
const charactersOf = (points: string) =>
  /^[\da-f]{1,5}(?:-[\da-f]{1,5}){0,15}$/i.test(points)
    ? String.fromCodePoint(...points.split("-").map((point) => Number.parseInt(point, 16)))
    : "";

const quoted = (lines: string) => lines.replace(/^/gm, "> ");

const plainLine = (line = "") => line.replace(/\s+/g, " ").trim();

/** A cell of a table whose bars do not end it. Those in code do not anyway, and would be shown as they are escaped. */
function withoutBars(cell: string): string {
  const parts = cell.split(/(`[^`]+`)/);
  const isCode = (index: number) => index % 2 === 1;
  const hasOthers = cell.includes("\\`") || parts.some((part, index) => !isCode(index) && part.includes("`"));
  return parts.map((part, index) => (isCode(index) && !hasOthers ? part : part.replaceAll("|", "&#124;"))).join("");
}

/** Slack encodes these three characters, and no others. */
const decoded = (encoded: string) => encoded.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** A part of a text in backticks. Slack has links in code, too, where Markdown has none. */
function codeOf(part: string): string {
  const code = decoded(
    part.replace(
      /<([a-z][a-z0-9+.-]*:[^<>|\n]*)(?:\|([^<>\n]*))?>/gi,
      (_, url: string, label?: string) => label || url,
    ),
  );
  return code.startsWith("```") && code.length >= 6 ? `\n${fenced(code.slice(3, -3))}\n` : code;
}

const fenced = (code: string) => `\`\`\`\n${code.replaceAll("```", "'''").replace(/^\n|\n$/g, "")}\n\`\`\``;

/** A link with its style. Markdown has none in code. */
const styledLink = (link: string, style: RichElement["style"]): Piece => ({
  kind: "other",
  text: withStyle(link, style && { ...style, code: false }),
});

/** A text as it is read, with its style. */
function styled(text: string, style: RichElement["style"]): Piece {
  if (!style) return { kind: "text", text: literal(text) };
  return { kind: "other", text: withStyle(style.code ? text : literal(text), style) };
}

function withStyle(text: string, style: RichElement["style"]): string {
  let written = text;
  if (style?.code) written = marked(written, "`");
  if (style?.strike) written = marked(written, "~~");
  if (style?.italic) written = marked(written, "*");
  if (style?.bold) written = marked(written, "**");
  return written;
}

/** Asterisks of a text that is not markup, where Markdown would take them for emphasis. */
const literal = (text: string) =>
  text.replace(/^.*\*.*\*.*$/gm, (line) => line.replace(/(?<!\*)\*(?!\*)(?:(?=\S)|(?<=\S\*))/g, "&#x2a;"));
