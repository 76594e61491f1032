import { badRequest, notFound } from "../../base/errors.ts";
import { accessChannelContent } from "../../core/channels/channel-access.ts";
import { accessMessageToChange, invalidMessage } from "../../messaging/messages/access.ts";
import { type Caller, mayReadChannel, mayReadDirectMessages, mayReadMessage } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { Message } from "../../store/messages/messages.ts";

/** What an agent's key allows of what its owner may do. Without a key, a caller has all of their own rights. */

export const mayWrite = ({ agentKey }: Caller): boolean => !agentKey || agentKey.writing !== undefined;

const mayWriteInChannel = (caller: Caller, id: number): boolean =>
  mayWrite(caller) && mayReadChannel(caller, id) && (caller.agentKey?.writing?.channelIds?.includes(id) ?? true);

const mayWriteDirectMessages = ({ agentKey }: Caller): boolean =>
  !agentKey || agentKey.writing?.directMessages === true;

type Reader = { caller: Caller; realm: Realm };

/** Throws what the key does not let the agent read, as if it were not there. */
export async function accessAgentChannel({ caller, realm }: Reader, id: number) {
  if (!mayReadChannel(caller, id)) throw notFound("Invalid channel ID");
  return accessChannelContent(caller, id, realm);
}

export function checkReadsDirectMessages(caller: Caller): void {
  if (!mayReadDirectMessages(caller)) throw badRequest("The key is not for direct messages");
}

export function checkWritesDirectMessages(caller: Caller): void {
  checkReadsDirectMessages(caller);
  if (!mayWriteDirectMessages(caller)) throw badRequest("The key is not for writing direct messages");
}

/** Throws unless the agent may write in a channel; one that it cannot read is as if it were not there. */
export async function accessChannelToWrite(reader: Reader, id: number) {
  const accessed = await accessAgentChannel(reader, id);
  if (!mayWriteInChannel(reader.caller, id)) throw badRequest("The key is not for writing in this channel");
  return accessed;
}

/** A message that the agent may react to or change. */
export async function accessMessageToWrite({ caller, realm }: Reader, id: number): Promise<Message> {
  const { message } = await accessMessageToChange(caller, id, realm);
  if (!mayReadMessage(caller, message)) throw invalidMessage();
  const { channelId } = message;
  if (channelId === undefined) checkWritesDirectMessages(caller);
  else if (!mayWriteInChannel(caller, channelId)) throw badRequest("The key is not for writing in this channel");
  return message;
}

/** The client of what an agent writes, by which people see that it did: its key's name or, without one, its program's. */
export const agentClient = ({ agentKey }: Caller, program: string): string => `agent:${agentKey?.name ?? program}`;
