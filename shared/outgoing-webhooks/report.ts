import { toCaller } from "../identity/access.ts";
import {
  countFurtherEvents,
  type OutgoingMessage,
  planMessage,
  type ResolvedMessage,
  withConversation,
} from "../messages/send/actions.ts";
import { compose } from "../messages/send/compose.ts";
import { accessDestination, type NamedDestination } from "../messages/send/destination.ts";
import type { Realm } from "../organization/access.ts";
import { checkContent } from "../schema/text.ts";
import { putWebhookOutcome, type WebhookOutcome } from "../store/delivery/webhook-outcomes.ts";
import { commit } from "../store/log/log.ts";
import { ConditionFailed } from "../store/table/transactions.ts";
import { findAccount } from "../store/users/accounts.ts";
import type { User } from "../store/users/users.ts";

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
    try {
      const counts = resolved.map((message) => 1 + countFurtherEvents(message));
      const sum = (values: number[]) => values.reduce((total, count) => total + count, 0);
      await commit({ events: sum(counts), messages: resolved.length }, (numbers) => {
        const plans = resolved.map((message, index) =>
          planMessage(message, {
            ...numbers,
            event: numbers.event + sum(counts.slice(0, index)),
            message: numbers.message + index,
          }),
        );
        return {
          writes: [putWebhookOutcome(outcome, before), ...plans.flatMap(({ writes }) => writes)],
          events: plans.flatMap(({ event, furtherEvents }) => [event, ...furtherEvents]),
          result: undefined,
        };
      });
    } catch (error) {
      // Another delivery of the same job came first.
      if (!(error instanceof ConditionFailed && error.failed.includes(0))) throw error;
    }
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
