import { putBroadMention } from "../store/broad-mentions.ts";
import { addFlags } from "../store/message-flags.ts";
import type { Message } from "../store/messages.ts";
import type { Write } from "../store/writes.ts";
import { mentionedGroups, mentionsChannel } from "./facts.ts";

/** So many people are told of a mention one by one; more are found through the list of broad mentions. */
const mostSingly = 20;
/** With more participants than these, a direct message's transaction has no room for mentions one by one. */
const mostParticipants = 50;

/**
 * What makes a message's mentions findable: 3 write units for each person who is mentioned, 2 when the mention is of
 * groups, of a channel or of very many people. An edit adds the same for those who are mentioned newly.
 */
export function mentionWrites(message: Message, mentionedUserIds: readonly number[]): Write[] {
  const crowded = mentionedUserIds.length > mostSingly || (message.userIds?.length ?? 0) > mostParticipants;
  const many = crowded && mentionedUserIds.length > 0;
  const broad = many || mentionsChannel(message) || mentionedGroups(message).length > 0;
  const singly = crowded ? [] : mentionedUserIds;
  return [
    ...singly.map((userId) => addFlags(userId, message.id, ["mentioned"])),
    ...(broad ? [putBroadMention(message.id)] : []),
  ];
}
