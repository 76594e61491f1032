import { ApiError } from "../../base/errors.ts";
import { codeBlockOf } from "../../core/markdown/source/fenced.ts";
import { silentMention } from "../../core/markdown/source/references.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { findWebhookOutcome, type WebhookOutcome } from "../../store/delivery/webhook-outcomes.ts";
import { findMessage, type Message } from "../../store/messages/messages.ts";
import { findBot } from "../../store/users/bots.ts";
import { findUser } from "../../store/users/users.ts";
import { messageUrl } from "../messages/links.ts";
import type { NamedDestination } from "../messages/send/destination.ts";
import { checkWidget } from "../messages/send/widget-content.ts";
import { interpretResponse, type ResponseOutcome } from "./answer.ts";
import { payloadOf, type WebhookCall } from "./payload.ts";
import { botMessage, post } from "./report.ts";
import { OutgoingError, sendOutgoing } from "./request.ts";
import type { Trigger } from "./triggers/jobs.ts";

/** The limits of the service's response. */
const deadlineMs = 10_000;
const maxResponseBytes = 256 * 1024;
/** The length of the quotation of a response in the notice to the bot's owner. */
const maxExcerptCharacters = 2000;

/**
 * Sends a message to a bot's service and posts the response in the message's conversation. Throws to be retried when the
 * service could not be reached; the last attempt reports the failure. A job that is delivered twice may send the request
 * twice, with the same idempotency key, but posts once.
 */
export async function callService(
  job: { messageId: number; botId: number; trigger: Trigger },
  { isLast }: { isLast: boolean },
): Promise<void> {
  const [realm, bot, user, message, before] = await Promise.all([
    loadRealm(),
    findBot(job.botId),
    findUser(job.botId),
    findMessage(job.messageId),
    findWebhookOutcome(job),
  ]);
  const service = bot?.services[0];
  if (!service || !user?.active || !message || before?.outcome === "done") return;
  const call = { bot: user, service, message, trigger: job.trigger, realm };
  const done: WebhookOutcome = { messageId: job.messageId, botId: job.botId, outcome: "done" };
  try {
    await postOutcome(call, await requestResponse(call), done, before);
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    if (isLast && !before) {
      const failure: ResponseOutcome = { kind: "failure", reason: "Bot is unavailable", excerpt: error.message };
      await postOutcome(call, failure, { ...done, outcome: "unavailable" }, before);
    }
    throw error;
  }
}

/** Sends the message to the service. A problem that retries cannot solve counts as a failed response; others are thrown. */
async function requestResponse(call: WebhookCall): Promise<ResponseOutcome> {
  const payload = await payloadOf(call);
  if (!payload) return { kind: "failure", reason: "Slack outgoing webhooks don't support direct messages." };
  try {
    const answer = await sendOutgoing({
      url: call.service.baseUrl,
      method: "POST",
      headers: { "content-type": payload.contentType, "idempotency-key": `${call.message.id}-${call.bot.id}` },
      body: payload.body,
      deadlineMs,
      maxBytes: maxResponseBytes,
    });
    return interpretResponse(answer, call.service.interface);
  } catch (error) {
    // Retrying would not help.
    if (error instanceof OutgoingError && (error.problem === "refused" || error.problem === "tooLarge"))
      return { kind: "failure", reason: error.message };
    throw error;
  }
}

/** Posts a response: a reply in the conversation, and a failure to the bot's owner and, unless it is theirs alone, there. */
async function postOutcome(
  call: WebhookCall,
  response: ResponseOutcome,
  outcome: WebhookOutcome,
  before: WebhookOutcome | undefined,
) {
  if (response.kind === "silence") return;
  const reply = await composeReply(call, response);
  const failure = response.kind === "failure" ? response : reply.refused;
  const notice = failure && (await composeOwnerNotice(call, failure));
  const messages = [...(reply.message ? [reply.message] : []), ...(notice ? [notice] : [])];
  if (messages.length === 0) return;
  await post(messages, outcome, before);
}

/** What the bot posts in the conversation, if anything, or the reason why the bot may not send it. */
async function composeReply(
  { bot, message, realm }: WebhookCall,
  response: Exclude<ResponseOutcome, { kind: "silence" }>,
) {
  if (response.kind === "failure" && response.ownerOnly) return {};
  try {
    const text = response.kind === "reply" ? response.content : `Failure! ${response.reason}`;
    const widget = checkWidget(response.kind === "reply" ? response.widgetContent : undefined);
    return { message: { ...(await botMessage(bot, conversationOf(message), text, realm)), widget } };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { refused: { reason: `The bot could not reply: ${error.message}` } };
  }
}

const conversationOf = ({ channelId, topic, userIds = [] }: Message): NamedDestination =>
  channelId === undefined ? { kind: "direct", to: userIds } : { kind: "channel", channel: channelId, topic };

/** A message to the bot's owner about a failure; undefined if the bot has no active owner. */
async function composeOwnerNotice(call: WebhookCall, { reason, excerpt }: { reason: string; excerpt?: string }) {
  const { bot, realm } = call;
  if (bot.ownerId === undefined || !(await findUser(bot.ownerId))?.active) return undefined;
  const payloadBlock = excerpt
    ? `\nThe response contains the following payload:\n${codeBlockOf(excerpt.slice(0, maxExcerptCharacters))}`
    : "";
  const text =
    `[A message](${messageUrl(call.message)}) to your bot ${silentMention(bot)} triggered an outgoing webhook.` +
    `\nThe webhook failed: ${reason}${payloadBlock}`;
  return botMessage(bot, { kind: "direct", to: [bot.ownerId] }, text, realm);
}
