import { unknown } from "../../fields.ts";
import { integration, type Post } from "../../integration.ts";
import { fillMarkdown, fillText } from "../../template.ts";
import { jsonBlock } from "../../text.ts";

export const service = integration({
  title: "Generic",
  summary:
    "Any JSON or form, as a message that you write yourself as a template. For services that have no integration here.",
  setUp: [
    "Enter the URL in the service, and let it send something. Without a template, it is posted as it came.",
    "In the web client's settings, write the templates of topic and content, and try them out with what came last.",
    "`{{name}}` stands for a field, `{{a.b}}` for one within another, and `{{{name}}}` for a text of several lines as a quotation. `{{#list}}…{{/list}}` is repeated for each item, whose own value is `{{.}}`, and left out if the field is absent, false or empty; `{{^name}}…{{/name}}` is the opposite. A content that is empty is not posted.",
  ],
  configuration: {
    topic_template: "the template of the topic",
    content_template: "the template of the message, in Markdown; absent: the payload as it came",
  },
  keepsPayload: true,
  payload: unknown(),
  toPost(payload, { config: { topic_template: topic, content_template: content } }) {
    const post: Post = {
      ...(topic ? { topic: fillText(topic, payload) } : { topic: "Generic", isTopicGeneral: true }),
      content: content ? fillMarkdown(content, payload) : jsonBlock(payload),
    };
    return post.content.trim() === "" ? undefined : post;
  },
});
