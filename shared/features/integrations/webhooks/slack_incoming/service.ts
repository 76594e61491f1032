import { listOf, object, text } from "../../fields.ts";
import { integration, UnreadablePayload } from "../../integration.ts";
import { plainSlackNames, SlackMarkup, slackAttachment, slackBlock } from "../../slack-markup.ts";

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */

const markup = new SlackMarkup(plainSlackNames);

export const service = integration({
  title: "Slack-compatible webhook",
  summary: "Messages from anything that can post to Slack's incoming webhooks: text, blocks and attachments.",
  setUp: [
    "Where the service asks for a Slack webhook URL, enter the URL.",
    "If the URL has no `topic`, the payload's `channel` becomes the topic.",
  ],
  payload: object({
    text: text(),
    channel: text(),
    icon_emoji: text(),
    blocks: listOf(slackBlock),
    attachments: listOf(slackAttachment),
  }),
  toPost(payload) {
    const pieces = [
      ...payload.blocks.map((block) => markup.blockText(block)),
      ...payload.attachments.map((item) => markup.attachmentText(item)),
    ]
      .map((piece) => piece.trim())
      .filter((piece) => piece !== "");
    const ownText = [payload.icon_emoji, markup.fromMrkdwn(payload.text)].join(" ").trim();
    // Blocks replace the text, which is then for notifications alone; attachments follow it.
    if (payload.blocks.length === 0 && payload.text !== "") pieces.unshift(ownText);
    else if (pieces.length === 0 && ownText !== "") pieces.push(ownText);
    if (pieces.length === 0) throw new UnreadablePayload("it has neither text nor blocks nor attachments");
    const channel = payload.channel.replace(/^[@#]/, "");
    const content = pieces.join("\n\n");
    return channel ? { topic: channel, content } : { topic: "Message from Slack", isTopicGeneral: true, content };
  },
});
