import * as z from "zod/mini";
import { flag, listOf, maybe, number, object, type output, text } from "./fields.ts";
import { webUrl } from "./text.ts";

/** Slack's markup, blocks and attachments, and what they are in Markdown. See https://docs.slack.dev/messaging/formatting-message-text. */

const style = maybe(object({ bold: flag(), italic: flag(), strike: flag(), code: flag() }));
const richElement = object({
  ...{ text: text(), url: text(), name: text(), type: text(), style },
  ...{ user_id: text(), channel_id: text(), usergroup_id: text(), range: text(), fallback: text(), value: text() },
});
const richPart = object({
  ...{ type: text(), style: text(), indent: number(), offset: number(), border: number() },
  elements: listOf(object({ ...richElement.shape, elements: listOf(richElement) })),
});
/** A text: of a context's element and of a block of Markdown a string, of a button and of a section an object. */
const textOrObject = z.union([
  z.pipe(
    object({ text: text() }),
    z.transform((inner) => inner.text),
  ),
  text(),
]);
const textObject = maybe(object({ type: text(), text: text() }));
/** A cell of a table: rich text, or text without any formatting. */
const cell = object({ type: text(), text: text(), elements: listOf(richPart) });
const image = { image_url: text(), alt_text: text() };

export const slackBlock = object({
  type: text(),
  text: textOrObject,
  fields: listOf(object({ text: text() })),
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
  text: text(),
  fallback: text(),
  fields: listOf(object({ title: text(), value: text(), short: flag() })),
  blocks: listOf(slackBlock),
  image_url: text(),
  footer: text(),
  ts: number(),
});

export type SlackBlock = output<typeof slackBlock>;
export type SlackAttachment = output<typeof slackAttachment>;
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
    return (
      mrkdwn
        .split(/(```[\s\S]*?```|`[^`\n]*`)/)
        .map((part, index) => (index % 2 === 1 ? codeOf(part) : this.#formatted(part)))
        .join("")
        // In Markdown, a quotation goes on in the next line unless there is an empty one between.
        .replace(/^(>.*)\n(?=[^>\n])/gm, "$1\n\n")
    );
  }

  blockText(block: SlackBlock): string {
    switch (block.type) {
      case "header":
        return `## ${plainLine(block.text)}`;
      case "divider":
        return "----";
      case "image":
        return this.#imageLink(block.title?.text || block.alt_text, block.image_url);
      case "context":
        return block.elements
          .map((element) =>
            element.image_url ? this.#imageLink(element.alt_text, element.image_url) : this.fromMrkdwn(element.text),
          )
          .join(" ");
      case "actions":
        return block.elements.map(({ text, url }) => this.linkTo(text, url)).join(" ");
      case "rich_text":
        return this.#richTexts(block.elements);
      case "table":
        return this.#table(block.rows);
      case "markdown":
        return block.text;
      case "video":
        return [
          this.linkTo(block.title?.text || block.alt_text || "video", block.title_url || block.video_url),
          this.fromMrkdwn(block.description?.text),
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
      item.author_name && `**${plainLine(item.author_name)}**`,
      item.title && `## ${this.linkTo(this.fromMrkdwn(item.title), item.title_link)}`,
      this.fromMrkdwn(item.text),
      item.fields
        .map(({ title, value }) =>
          title ? `**${plainLine(title)}**: ${this.fromMrkdwn(value)}` : this.fromMrkdwn(value),
        )
        .join("\n"),
      ...item.blocks.map((block) => this.blockText(block)),
      item.image_url && this.#imageLink("", item.image_url),
      item.footer && this.fromMrkdwn(item.footer),
      item.ts > 0 && item.ts < 8e12 && `<time:${Math.floor(item.ts)}>`,
    ].filter((piece) => typeof piece === "string" && piece.trim() !== "");
    if (pieces.length > 0) return pieces.join("\n\n");
    return item.fallback === "[no preview available]" ? "" : this.fromMrkdwn(item.fallback);
  }

  linkTo(label: string, url: string): string {
    const destination = this.#names.link(url);
    const line = plainLine(label).replace(/[[\]]/g, "");
    return destination === undefined ? line : `[${line || destination}](${destination})`;
  }

  #imageLink(label: string | undefined, url: string): string {
    return this.linkTo(label || "image", url);
  }

  #sectionText({ text, fields, accessory }: SlackBlock): string {
    const label = accessory?.text?.text || accessory?.alt_text || accessory?.title?.text || "";
    return [
      this.fromMrkdwn(text),
      ...fields.map((field) => this.fromMrkdwn(field.text)),
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

  /** A table, whose first row is its head. A cell is one line. */
  #table(rows: SlackBlock["rows"]): string {
    const width = Math.max(0, ...rows.map(({ length }) => length));
    if (width === 0) return "";
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
    const inline = (parts: readonly RichElement[]) => parts.map((part) => this.#richElement(part)).join("");
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

  #richElement(element: RichElement): string {
    const { type, text, url, name, style } = element;
    switch (type) {
      case "link":
        return styled(this.linkTo(text || url, url), style && { ...style, code: false });
      case "emoji":
        return this.#names.emoji(name) ?? `:${name}:`;
      case "user":
        return this.#names.user(element.user_id, "");
      case "channel":
        return this.#names.channel(element.channel_id, "");
      case "usergroup":
        return this.#names.userGroup(element.usergroup_id, "");
      case "broadcast":
        return this.#names.broadcast(element.range, "");
      case "date":
        return element.fallback;
      case "color":
        return element.value;
      default:
        return styled(text, style);
    }
  }

  #formatted(mrkdwn: string): string {
    return mrkdwn
      .split(/(<[^<>\n]*>)/)
      .map((part, index) =>
        index % 2 === 1 ? this.#reference(part.slice(1, -1)) : this.#withEmoji(decoded(emphasized(part))),
      )
      .join("");
  }

  #withEmoji(part: string): string {
    return part.replace(emojiPattern, (written, name: string) => this.#names.emoji(name) ?? written);
  }

  /** What Slack writes in angle brackets: a link, a user (`@U1|name`), a channel (`#C1|name`), or a command (`!here`). */
  #reference(inside: string): string {
    const bar = inside.indexOf("|");
    const [target, encodedLabel] = bar < 0 ? [inside, ""] : [inside.slice(0, bar), inside.slice(bar + 1)];
    const label = decoded(encodedLabel);
    if (/^https?:/i.test(target)) {
      const url = decoded(target);
      return label ? this.linkTo(label, url) : (this.#names.link(url) ?? url);
    }
    if (/^mailto:/i.test(target)) return label || target.slice("mailto:".length);
    const [, scheme = ""] = /^([a-z][a-z0-9+.-]*):/i.exec(target) ?? [];
    if (scheme) {
      const url = decoded(target);
      return this.linkTo(label || (/^(?:tel|sms)$/i.test(scheme) ? url.slice(scheme.length + 1) : url), url);
    }
    if (target.startsWith("@")) return this.#names.user(target.slice(1), label);
    if (target.startsWith("#")) return this.#names.channel(target.slice(1), label);
    if (target.startsWith("!subteam^")) return this.#names.userGroup(target.slice("!subteam^".length), label);
    if (/^!(here|channel|everyone)$/.test(target)) return this.#names.broadcast(target.slice(1), label);
    if (target.startsWith("!")) return label || `@${target.slice(1).split("^")[0]}`;
    return `<${inside}>`;
  }
}

/** An emoji, with or without a skin tone. */
const emojiPattern = /:([\w+'-]{1,100}):(?::skin-tone-[2-6]:)?/g;

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

const before = "(?<=^|[\\s(\"'])";
const after = "(?=$|[\\s).,:;!?\"'-])";
const span = (sign: string) => new RegExp(`${before}\\${sign}(?! )([^\\n${sign}]+)(?<! )\\${sign}${after}`, "g");
const [boldSpan, italicSpan, struckSpan] = [span("*"), span("_"), span("~")];
// Bold first becomes a character that no field has, so that it is not taken for italics.
const emphasized = (part: string): string =>
  part.replace(boldSpan, "\0$1\0").replace(italicSpan, "*$1*").replace(struckSpan, "~~$1~~").replaceAll("\0", "**");

/** A text with Markdown's signs around each of its lines; spaces at their ends stay outside. */
function styled(text: string, style: RichElement["style"]): string {
  const signs = [style?.bold && "**", style?.italic && "*", style?.strike && "~~", style?.code && "`"].filter(Boolean);
  if (signs.length === 0) return text;
  const [opening, closing] = [signs.join(""), signs.toReversed().join("")];
  return text.replace(
    /^([^\S\n]*)(\S(?:.*\S)?)([^\S\n]*)$/gm,
    (_, start: string, line: string, end: string) => `${start}${opening}${line}${closing}${end}`,
  );
}
