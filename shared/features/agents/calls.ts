import { unauthorizedPrincipal } from "../../base/errors.ts";
import { int, list, nullable, oneOf, strictObject, text, type Value } from "../../base/schema/params.ts";
import { nowSeconds } from "../../base/time.ts";
import { type Caller, isAdministrator } from "../../services/identity/caller.ts";
import { type AgentCall, listAgentCalls, recordAgentCall } from "../../store/users/agent-keys.ts";

/** The log of what agents do, for the owners of their keys and for administrators. */

export const agentCallObject = strictObject({
  time: int(),
  tool: text(),
  outcome: oneOf(["done", "refused", "failed"]),
  channel_id: nullable(int()),
  message_id: nullable(int()),
  user_ids: list(int()),
});

const toWire = (call: AgentCall): Value<typeof agentCallObject> => ({
  time: call.at,
  tool: call.tool,
  outcome: call.outcome,
  channel_id: call.channelId ?? null,
  message_id: call.messageId ?? null,
  user_ids: call.userIds ?? [],
});

const maxListed = 200;

export const agentCallsOf = async (userId: number, id: number) =>
  (await listAgentCalls({ userId, id }, maxListed)).map(toWire);

/** Whose key a request concerns: the caller's or, for administrators, that of the person whom it names. */
export function keyOwner(caller: Caller, userId: number = caller.id): number {
  if (userId !== caller.id && !isAdministrator(caller)) throw unauthorizedPrincipal("administrator");
  return userId;
}

/** What a call concerns, from its arguments, which may be anything. A direct conversation of many people is cut. */
function concernedBy({ channel_id: channelId, message_id: messageId, user_ids: userIds }: Record<string, unknown>) {
  const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
  return {
    ...(isId(channelId) && { channelId }),
    ...(isId(messageId) && { messageId }),
    ...(Array.isArray(userIds) && { userIds: userIds.slice(0, 20).filter(isId) }),
  };
}

/** Runs a call of a tool and records how it ended. What cannot be recorded is not answered. 1 write unit with an agent's key. */
export async function recorded<T extends { isError?: boolean; messageId?: number }>(
  { agentKey }: Caller,
  tool: string,
  sent: Record<string, unknown>,
  run: () => Promise<T>,
): Promise<T> {
  if (!agentKey) return run();
  const record = (outcome: AgentCall["outcome"], result: { messageId?: number } = {}) =>
    recordAgentCall(agentKey, { at: nowSeconds(), tool, outcome, ...concernedBy(sent), ...result });
  let ended: T;
  try {
    ended = await run();
  } catch (error) {
    await record("failed").catch(() => {});
    throw error;
  }
  const { messageId } = ended;
  await record(ended.isError ? "refused" : "done", messageId === undefined ? {} : { messageId });
  return ended;
}
