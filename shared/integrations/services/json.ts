import { codeBlockOf } from "../../markdown/source/fenced.ts";
import { truncate } from "../../schema/text.ts";
import { unknown } from "../fields.ts";
import { integration, UnreadablePayload } from "../integration.ts";

/** Below the maximum length of a message, with room for the fences. */
const maxCharacters = 9000;

export const service = integration({
  title: "JSON",
  summary: "Any JSON, as it was sent, in a code block: for trying out a service, and for your own programs.",
  setUp: ["Send any JSON to the URL by POST."],
  payload: unknown(),
  toPost: (payload) => ({
    topic: "JSON",
    content: codeBlockOf(truncate(formatted(payload), maxCharacters, "\n[…]"), "json"),
  }),
});

function formatted(payload: unknown): string {
  try {
    return JSON.stringify(payload, undefined, 2);
  } catch {
    throw new UnreadablePayload("it is nested too deeply");
  }
}
