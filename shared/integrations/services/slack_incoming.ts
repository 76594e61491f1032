import * as z from "zod/mini";
import { flag, listOf, maybe, number, object, type output, text } from "../fields.ts";
import { integration, UnreadablePayload } from "../integration.ts";
import { webUrl } from "../text.ts";

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */

const richElement = object({ text: text(), url: text(), name: text(), user_id: text(), type: text() });
const richPart = object({
  type: text(),
  elements: listOf(object({ ...richElement.shape, elements: listOf(richElement) })),
});
/** An element's text: of a context a string, of a button an object. */
const textOrObject = z.catch(
  z.union([
    z.string(),
    z.pipe(
      object({ text: text() }),
      z.transform((inner) => inner.text),
    ),
  ]),
  "",
);
const textObject = maybe(object({ type: text(), text: text() }));
const image = { image_url: text(), alt_text: text() };

const block = object({
  type: text(),
  text: textObject,
  fields: listOf(object({ text: text() })),
  accessory: maybe(object({ type: text(), url: text(), text: textObject, title: textObject, ...image })),
  title: textObject,
  elements: listOf(object({ ...richPart.shape, text: textOrObject, url: text(), ...image })),
  ...image,
});

const attachment = object({
  title: text(),
  title_link: text(),
  pretext: text(),
  author_name: text(),
  text: text(),
  fallback: text(),
  fields: listOf(object({ title: text(), value: text(), short: flag() })),
  blocks: listOf(block),
  image_url: text(),
  footer: text(),
  ts: number(),
});

type Block = output<typeof block>;

export const service = integration({
  title: "Slack-compatible webhook",
  summary: "Messages of everything that can post to Slack's incoming webhooks: text, blocks and attachments.",
  setUp: [
    "Where the service asks for a Slack webhook URL, enter the URL.",
    "If the URL has no `topic`, the payload's `channel` becomes the topic.",
  ],
  payload: object({
    text: text(),
    channel: text(),
    icon_emoji: text(),
    blocks: listOf(block),
    attachments: listOf(attachment),
  }),
  toPost(payload) {
    const pieces = [...payload.blocks.map(blockText), ...payload.attachments.map(attachmentText)]
      .map((piece) => piece.trim())
      .filter((piece) => piece !== "");
    const ownText = [payload.icon_emoji, fromMrkdwn(payload.text)].join(" ").trim();
    // Blocks replace the text, which is then for notifications alone; attachments follow it.
    if (payload.blocks.length === 0 && payload.text !== "") pieces.unshift(ownText);
    else if (pieces.length === 0 && ownText !== "") pieces.push(ownText);
    if (pieces.length === 0) throw new UnreadablePayload("it has neither text nor blocks nor attachments");
    return { topic: payload.channel.replace(/^[@#]/, "") || "Message from Slack", content: pieces.join("\n\n") };
  },
});

function blockText(block: Block): string {
  switch (block.type) {
    case "header":
      return `## ${plainLine(block.text?.text)}`;
    case "divider":
      return "----";
    case "image":
      return imageLink(block.title?.text || block.alt_text, block.image_url);
    case "context":
      return block.elements
        .map((element) =>
          element.image_url ? imageLink(element.alt_text, element.image_url) : fromMrkdwn(element.text),
        )
        .join(" ");
    case "actions":
      return block.elements.map(({ text, url }) => linkTo(text, url)).join(" ");
    case "rich_text":
      return block.elements.map(richText).join("\n");
    default:
      return sectionText(block);
  }
}

function sectionText({ text, fields, accessory }: Block): string {
  const label = accessory?.text?.text || accessory?.alt_text || accessory?.title?.text || "";
  return [
    fromMrkdwn(text?.text),
    ...fields.map((field) => fromMrkdwn(field.text)),
    ...(accessory?.image_url
      ? [imageLink(label, accessory.image_url)]
      : accessory?.url
        ? [linkTo(label, accessory.url)]
        : []),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

type RichPart = Block["elements"][number];

function richText({ type, elements }: RichPart): string {
  const inline = (parts: RichPart["elements"][number]["elements"]) =>
    parts
      .map(({ type: kind, text, url, name, user_id }) =>
        kind === "link"
          ? linkTo(text || url, url)
          : kind === "emoji"
            ? `:${name}:`
            : kind === "user"
              ? `@${user_id}`
              : text,
      )
      .join("");
  if (type === "rich_text_list") return elements.map((item) => `* ${inline(item.elements)}`).join("\n");
  const line = inline(elements);
  if (type === "rich_text_preformatted") return `\`\`\`\n${line.replaceAll("```", "'''")}\n\`\`\``;
  return type === "rich_text_quote" ? line.replace(/^/gm, "> ") : line;
}

function attachmentText(
  item: {
    [K in "title" | "title_link" | "pretext" | "author_name" | "text" | "fallback" | "image_url" | "footer"]: string;
  } & { fields: { title: string; value: string }[]; blocks: Block[]; ts: number },
): string {
  const pieces = [
    item.pretext && fromMrkdwn(item.pretext),
    item.author_name && `**${plainLine(item.author_name)}**`,
    item.title && `## ${linkTo(fromMrkdwn(item.title), item.title_link)}`,
    fromMrkdwn(item.text),
    item.fields
      .map(({ title, value }) => (title ? `**${plainLine(title)}**: ${fromMrkdwn(value)}` : fromMrkdwn(value)))
      .join("\n"),
    ...item.blocks.map(blockText),
    item.image_url && imageLink("", item.image_url),
    item.footer && fromMrkdwn(item.footer),
    item.ts > 0 && item.ts < 8e12 && `<time:${Math.floor(item.ts)}>`,
  ].filter((piece) => typeof piece === "string" && piece.trim() !== "");
  return pieces.length === 0 ? fromMrkdwn(item.fallback) : pieces.join("\n\n");
}

const plainLine = (line = "") => line.replace(/\s+/g, " ").trim();

function linkTo(label: string, url: string): string {
  const destination = webUrl(url);
  const line = plainLine(label).replace(/[[\]]/g, "");
  return destination === undefined ? line : `[${line || destination}](${destination})`;
}

const imageLink = (label: string | undefined, url: string) => linkTo(label || "image", url);

/** Slack's markup as Markdown: `*bold*`, `_italic_`, `~struck~`, and `<url|text>`. Text in backticks stays as it is. */
function fromMrkdwn(mrkdwn = ""): string {
  return mrkdwn
    .split(/(```[\s\S]*?```|`[^`\n]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : formatted(part)))
    .join("");
}

const formatted = (mrkdwn: string): string =>
  mrkdwn
    .split(/(<[^<>\n]*>)/)
    .map((part, index) => (index % 2 === 1 ? reference(part.slice(1, -1)) : emphasized(part)))
    .join("");

const before = "(?<=^|[\\s(\"'])";
const after = "(?=$|[\\s).,:;!?\"'-])";
const span = (sign: string) => new RegExp(`${before}\\${sign}(?! )([^\\n${sign}]+)(?<! )\\${sign}${after}`, "g");
// Bold first becomes a character that no field has, so that it is not taken for italics.
const emphasized = (part: string): string =>
  part.replace(span("*"), "\0$1\0").replace(span("_"), "*$1*").replace(span("~"), "~~$1~~").replaceAll("\0", "**");

/** What Slack writes in angle brackets: a link, a user (`@U1|name`), a channel (`#C1|name`), or a command (`!here`). */
function reference(inside: string): string {
  const bar = inside.indexOf("|");
  const [target, label] = bar < 0 ? [inside, ""] : [inside.slice(0, bar), inside.slice(bar + 1)];
  if (/^https?:/i.test(target)) return label ? linkTo(label, target) : (webUrl(target) ?? target);
  if (/^mailto:/i.test(target)) return label || target.slice("mailto:".length);
  if (/^[@#]/.test(target)) return label ? target.charAt(0) + label.replace(/^[@#]/, "") : target;
  if (target.startsWith("!")) return label || `@${target.slice(1).split("^")[0]}`;
  return `<${inside}>`;
}
