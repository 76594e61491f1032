import {
  fileEventsOf,
  type OutgoingMessage,
  planMessage,
  type Settled,
  withConversation,
} from "../messages/actions.ts";
import { compose } from "../messages/compose.ts";
import { checkContent } from "../messages/content.ts";
import { accessDestination, type NamedDestination } from "../messages/destination.ts";
import type { Realm } from "../organization/access.ts";
import { findAccount } from "../store/accounts.ts";
import { commit } from "../store/log.ts";
import { ConditionFailed } from "../store/transactions.ts";
import type { User } from "../store/users.ts";
import { putWebhookOutcome, type WebhookOutcome } from "../store/webhook-outcomes.ts";
import { callerOf } from "../users/access.ts";

/** A message that a bot says, checked as one that it sends itself; throws ApiError where it may not. */
export async function botMessage(bot: User, to: NamedDestination, text: string, realm: Realm) {
  const account = await findAccount(bot.email);
  if (!account) throw new Error(`Bot ${bot.id} has no account`);
  const caller = callerOf(account);
  const content = checkContent(text);
  const destination = await accessDestination(caller, to, realm);
  const composed = await compose(caller, content, destination, realm);
  const client = "OutgoingWebhookResponse";
  return { ...composed, senderId: bot.id, destination, client, readBySender: false };
}

type BotMessage = Awaited<ReturnType<typeof botMessage>> & Pick<OutgoingMessage, "widget">;

/** Posts what came of calling a bot, all messages or none, unless it has been posted already. */
export async function post(
  messages: readonly BotMessage[],
  outcome: WebhookOutcome,
  before: WebhookOutcome | undefined,
): Promise<void> {
  await settleAll(messages, [], async (settled) => {
    try {
      const counts = settled.map((message) => 1 + fileEventsOf(message));
      const sum = (some: number[]) => some.reduce((total, count) => total + count, 0);
      await commit({ events: sum(counts), messages: settled.length }, (numbers) => {
        const plans = settled.map((message, index) =>
          planMessage(message, {
            ...numbers,
            event: numbers.event + sum(counts.slice(0, index)),
            message: numbers.message + index,
          }),
        );
        return {
          writes: [putWebhookOutcome(outcome, before), ...plans.flatMap(({ writes }) => writes)],
          events: plans.flatMap(({ event, fileEvents }) => [event, ...fileEvents]),
          result: undefined,
        };
      });
    } catch (error) {
      // Another delivery of the same job came first.
      if (!(error instanceof ConditionFailed && error.failed.includes(0))) throw error;
    }
  });
}

async function settleAll(
  messages: readonly BotMessage[],
  settled: Settled[],
  write: (settled: Settled[]) => Promise<void>,
): Promise<void> {
  const [next, ...rest] = messages;
  if (!next) return write(settled);
  await withConversation(next, (one) => settleAll(rest, [...settled, one], write));
}
