import { parseJson } from "../../base/schema/text.ts";
import { type BotService, slackInterface } from "../../store/users/bots.ts";

/** What a service's response asks for. See https://zulip.com/api/outgoing-webhooks. */
export type ResponseOutcome =
  | { kind: "silence" }
  | { kind: "reply"; content: string; widgetContent?: string | undefined }
  /** A failure, reported to the bot's owner and, unless `ownerOnly`, in the conversation; `excerpt` is text from the response. */
  | { kind: "failure"; reason: string; excerpt?: string; ownerOnly?: boolean };

/** Of a plain text that acknowledges the request, such as "Accepted" or "Message queued". */
const maxAcknowledgementCharacters = 100;

/** Interprets a service's response; statuses other than 2xx, including redirects, are permanent failures. */
export function interpretResponse(
  { status, body }: { status: number; body: string },
  serviceInterface: BotService["interface"],
): ResponseOutcome {
  if (status < 200 || status > 299)
    return { kind: "failure", reason: `Third party responded with ${status}`, excerpt: body };
  // Services that have nothing to say often send nothing, or this.
  if (/^(?:ok)?$/i.test(body.trim())) return { kind: "silence" };
  const answer = parseJson(body);
  if (answer === undefined)
    return { kind: "failure", reason: "Invalid JSON in response", excerpt: body, ownerOnly: isAcknowledgement(body) };
  // The same in JSON; an empty text is the legacy way to post nothing.
  if (typeof answer === "string" && /^(?:ok)?$/i.test(answer.trim())) return { kind: "silence" };
  // Values without content ask for as little as an empty object.
  if (answer === null || typeof answer === "boolean") return { kind: "silence" };
  if (Array.isArray(answer) && answer.length === 0) return { kind: "silence" };
  if (typeof answer !== "object" || Array.isArray(answer)) {
    const ownerOnly = typeof answer === "number" || (typeof answer === "string" && isAcknowledgement(answer));
    return { kind: "failure", reason: "Invalid response format", excerpt: body, ownerOnly };
  }
  const content = serviceInterface === slackInterface ? contentIn(answer, ["text"]) : genericContent(answer);
  return content === undefined || content.trim() === ""
    ? { kind: "silence" }
    : {
        kind: "reply",
        content,
        widgetContent: serviceInterface === slackInterface ? undefined : contentIn(answer, ["widget_content"]),
      };
}

/** Whether a text is one short line that is neither markup nor the beginning of JSON. */
function isAcknowledgement(text: string): boolean {
  const line = text.trim();
  return line.length <= maxAcknowledgementCharacters && !/^[<{["]|[\r\n]/.test(line);
}

const genericContent = (answer: object) =>
  "response_not_required" in answer && answer.response_not_required
    ? undefined
    : contentIn(answer, ["response_string", "content"]);

function contentIn(answer: object, keys: readonly string[]): string | undefined {
  const key = keys.find((name) => name in answer);
  if (key === undefined) return undefined;
  const value = (answer as Record<string, unknown>)[key];
  return typeof value === "string" ? value : value === null ? undefined : JSON.stringify(value);
}
