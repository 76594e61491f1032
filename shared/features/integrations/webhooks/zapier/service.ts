import { object, text } from "../../fields.ts";
import { integration, UnreadablePayload } from "../../integration.ts";

/** Zapier's own app for Zulip, or a step "Webhooks by Zapier". */

export const service = integration({
  title: "Zapier",
  logo: "zapier",
  summary: "Anything that a Zap assembles from thousands of services, with a topic and content of your own.",
  setUp: [
    "Add the action **Webhooks by Zapier → POST** to a Zap, with the URL and the payload type **json**.",
    "Add the data `topic` and `content`, put together of the fields of the earlier steps. The content is Markdown.",
  ],
  payload: object({ type: text(), topic: text(), content: text(), subject: text() }),
  toPost({ type, topic, subject, content }, { parameter }) {
    // The app asks whether the key is valid.
    if (type === "auth") return undefined;
    if (content.trim() === "") throw new UnreadablePayload("the field content is missing");
    const name = topic || subject;
    if (name === "" && parameter("topic") === undefined) throw new UnreadablePayload("the field topic is missing");
    return { topic: name, content };
  },
});
