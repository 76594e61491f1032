import { moment } from "../../alerts.ts";
import { fromDiscordMarkdown } from "../../discord-markup.ts";
import { listOf, maybe, object, type output, text } from "../../fields.ts";
import { integration, UnreadablePayload } from "../../integration.ts";
import { link, plain, webUrl } from "../../text.ts";

/** https://discord.com/developers/docs/resources/webhook#execute-webhook */

const embed = object({
  ...{ title: text(), description: text(), url: text(), timestamp: text() },
  author: maybe(object({ name: text(), url: text() })),
  fields: listOf(object({ name: text(), value: text() }), 25),
  image: maybe(object({ url: text() })),
  footer: maybe(object({ text: text() })),
});

/** Discord allows no more. */
const maxEmbeds = 10;

function embedText(it: output<typeof embed>): string {
  const image = webUrl(it.image?.url);
  const foot = [plain(it.footer?.text ?? ""), it.timestamp && moment(it.timestamp)].filter(Boolean).join(" · ");
  return [
    it.author?.name && link(it.author.name, it.author.url),
    it.title && `**${link(it.title, it.url)}**`,
    fromDiscordMarkdown(it.description),
    it.fields
      .filter(({ name, value }) => name.trim() !== "" || value.trim() !== "")
      .map(({ name, value }) => `**${plain(name)}**: ${fromDiscordMarkdown(value)}`)
      .join("\n"),
    image && `[image](${image})`,
    foot,
  ]
    .filter(Boolean)
    .join("\n\n");
}

export const service = integration({
  title: "Discord-compatible webhook",
  summary: "Messages from anything that can post to Discord's webhooks: text and embeds, without files.",
  setUp: [
    "Where the service asks for a Discord webhook URL, enter the URL. It must accept URLs of other servers than Discord's.",
    "If the URL has no `topic`, the payload's `username` or `thread_name` becomes the topic.",
  ],
  payload: object({
    ...{ content: text(), username: text(), thread_name: text() },
    embeds: listOf(embed, maxEmbeds),
  }),
  toPost({ content: written, username, thread_name, embeds }) {
    const pieces = [fromDiscordMarkdown(written), ...embeds.map(embedText)].filter((piece) => piece.trim() !== "");
    if (pieces.length === 0) throw new UnreadablePayload("it has neither content nor embeds");
    const content = pieces.join("\n\n");
    const topic = thread_name.trim() || username.trim();
    return topic ? { topic, content } : { topic: "Message from Discord", isTopicGeneral: true, content };
  },
});
