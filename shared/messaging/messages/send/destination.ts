import { badRequest } from "../../../base/errors.ts";
import { limits } from "../../../base/limits.ts";
import { botTypes } from "../../../base/schema/roles.ts";
import { everyone, nobody } from "../../../base/schema/system-groups.ts";
import { accessChannelToSend } from "../../../core/channels/access.ts";
import { checkTopic } from "../../../core/channels/topic-names.ts";
import { toCaller } from "../../../services/identity/access.ts";
import { type Caller, isBot } from "../../../services/identity/caller.ts";
import { findNamedUsers } from "../../../services/identity/named.ts";
import { visibleEmail } from "../../../services/identity/visibility.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { hasPermission } from "../../../services/permissions/access.ts";
import type { Channel } from "../../../store/channels/channels.ts";
import { type Conversation, findConversation } from "../../../store/messages/conversations.ts";
import { findAccount } from "../../../store/users/accounts.ts";
import type { User } from "../../../store/users/users.ts";

/** A destination to which the sender is allowed to send. */
export type Destination =
  | {
      kind: "channel";
      channel: Channel;
      topic: string;
      /** Whether the sender has muted the channel. */
      isMuted?: boolean;
    }
  | {
      kind: "direct";
      userIds: number[];
      conversation: Conversation | undefined;
      webhookBotIds?: number[];
    };

/** A destination as a request names it, with the four spellings of the type reduced to two. */
export type NamedDestination =
  | { kind: "channel"; channel: number | string; topic: string | undefined }
  | { kind: "direct"; to: readonly (number | string)[] };

export const messageTypes = ["direct", "private", "channel", "stream"] as const;
export const isChannelType = (type: (typeof messageTypes)[number]) => type === "channel" || type === "stream";

/** Checks that `caller` may send a message to a destination, and returns it. */
export async function accessDestination(caller: Caller, named: NamedDestination, realm: Realm): Promise<Destination> {
  if (named.kind === "direct") return accessDirect(caller, named.to, realm);
  const { channel, isMuted } = await accessChannelToSend(caller, named.channel, realm);
  if (named.topic === undefined) throw badRequest("Missing topic");
  const topic = checkTopic(named.topic, channel.topicsPolicy, realm.settings);
  return { kind: "channel", channel, topic, isMuted };
}

async function accessDirect(caller: Caller, to: readonly (number | string)[], realm: Realm): Promise<Destination> {
  if (to.length === 0) throw badRequest("Message must have recipients");
  if (to.length > limits.directMessageParticipants)
    throw badRequest(`A direct message can have at most ${limits.directMessageParticipants} recipients.`);
  const users = await accessRecipients(caller, to);
  for (const user of users) if (!user.active) throw badRequest(`'${visibleEmail(user)}' is no longer active.`);
  const userIds = [...new Set([caller.id, ...users.map(({ id }) => id)])].sort((a, b) => a - b);
  const conversation = await findConversation(userIds);
  await checkDirectMessagesAllowed(caller, users, conversation, realm);
  const webhookBotIds = users.flatMap(({ id, botType }) => (botType === botTypes.outgoingWebhook ? [id] : []));
  return { kind: "direct", userIds, conversation, ...(webhookBotIds.length > 0 && { webhookBotIds }) };
}

async function accessRecipients(caller: Caller, to: readonly (number | string)[]): Promise<User[]> {
  const users = await findNamedUsers(caller, to);
  return users.map((user, index) => {
    const idOrEmail = to[index];
    if (!user)
      throw badRequest(typeof idOrEmail === "number" ? `Invalid user ID ${idOrEmail}` : `Invalid email '${idOrEmail}'`);
    return user;
  });
}

async function checkDirectMessagesAllowed(
  caller: Caller,
  recipients: readonly User[],
  conversation: Conversation | undefined,
  { settings }: Realm,
) {
  const others = recipients.filter(({ id }) => id !== caller.id);
  if (isBot(caller) || others.every((user) => isBot(user))) return;
  const { direct_message_permission_group: authorizers, direct_message_initiator_group: initiators } = settings;
  if (authorizers === nobody) throw badRequest("Direct messages are disabled in this organization.");
  if (authorizers !== everyone) {
    const accounts = await Promise.all(others.map(({ email }) => findAccount(email)));
    const participants = [caller, ...accounts.flatMap((account) => (account ? [toCaller(account)] : []))];
    const areAuthorizers = await Promise.all(
      participants.map((participant) => hasPermission(participant, authorizers, settings)),
    );
    if (!areAuthorizers.includes(true))
      throw badRequest("This conversation does not include any users who can authorize it.");
  }
  if (!conversation && !(await hasPermission(caller, initiators, settings)))
    throw badRequest("You do not have permission to initiate direct message conversations.");
}
