import { checkContent } from "../../base/schema/text.ts";
import { toCaller } from "../../services/identity/access.ts";
import type { Realm } from "../../services/organization/access.ts";
import { putWebhookOutcome, type WebhookOutcome } from "../../store/delivery/webhook-outcomes.ts";
import { commitNumbered, joinParts } from "../../store/log/log.ts";
import { alreadyDone, succeedsOnce } from "../../store/table/conflicts.ts";
import { withRefusal } from "../../store/table/writes.ts";
import { findAccount } from "../../store/users/accounts.ts";
import type { User } from "../../store/users/users.ts";
import { type OutgoingMessage, planMessage, type ResolvedMessage, withConversation } from "../messages/send/actions.ts";
import { compose } from "../messages/send/compose.ts";
import { accessDestination, type NamedDestination } from "../messages/send/destination.ts";

/** A message from a bot, checked as if the bot sent it by the API; throws ApiError if the bot may not send it. */
export async function botMessage(bot: User, to: NamedDestination, text: string, realm: Realm) {
  const account = await findAccount(bot.email);
  if (!account) throw new Error(`Bot ${bot.id} has no account`);
  const caller = toCaller(account);
  const content = checkContent(text);
  const destination = await accessDestination(caller, to, realm);
  const composed = await compose(caller, content, destination, realm);
  const client = "OutgoingWebhookResponse";
  return { ...composed, senderId: bot.id, destination, client, readBySender: false };
}

type BotMessage = Awaited<ReturnType<typeof botMessage>> & Pick<OutgoingMessage, "widget">;

/** Posts the result of a webhook in one transaction, unless it has been posted already. */
export async function post(
  messages: readonly BotMessage[],
  outcome: WebhookOutcome,
  before: WebhookOutcome | undefined,
): Promise<void> {
  await resolveAll(messages, [], async (resolved) => {
    await succeedsOnce(
      commitNumbered({ messages: resolved.length }, ({ event, message, ...numbers }) => {
        let change = joinParts({ writes: [withRefusal(putWebhookOutcome(outcome, before), alreadyDone)] });
        for (const [index, outgoing] of resolved.entries()) {
          const next = { ...numbers, event: event + change.events.length, message: message + index };
          change = joinParts(change, planMessage(outgoing, next));
        }
        return change;
      }),
    );
  });
}

/** Resolves the conversations of all messages, and then calls `write`. */
async function resolveAll(
  messages: readonly BotMessage[],
  resolved: ResolvedMessage[],
  write: (resolved: ResolvedMessage[]) => Promise<void>,
): Promise<void> {
  const [next, ...rest] = messages;
  if (!next) return write(resolved);
  await withConversation(next, (resolvedMessage) => resolveAll(rest, [...resolved, resolvedMessage], write));
}
