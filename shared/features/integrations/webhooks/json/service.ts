import { unknown } from "../../fields.ts";
import { integration } from "../../integration.ts";
import { jsonBlock } from "../../text.ts";

export const service = integration({
  title: "JSON",
  logo: "json",
  summary: "Any JSON, as it was sent, in a code block: for trying out a service, and for your own programs.",
  setUp: ["Send any JSON to the URL by POST."],
  payload: unknown(),
  toPost: (payload) => ({ topic: "JSON", isTopicGeneral: true, content: jsonBlock(payload) }),
});
