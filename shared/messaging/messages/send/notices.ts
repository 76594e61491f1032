import { checkContent } from "../../../base/schema/text.ts";
import type { Realm } from "../../../services/organization/access.ts";
import type { Channel } from "../../../store/channels/channels.ts";
import { joinParts, type Numbers } from "../../../store/log/log.ts";
import { findConversation } from "../../../store/messages/conversations.ts";
import type { Author } from "../render/context.ts";
import { renderTextOrSource } from "../render/render.ts";
import { type OutgoingMessage, planMessage } from "./actions.ts";

/** What a notice may link to besides public channels: the channels in `known`, and what its `reader` can see. */
interface LinkScope {
  known?: readonly Channel[] | undefined;
  reader?: Author | undefined;
}

/** Composes a direct message from Notification Bot; permissions do not apply. */
export const composeDirectNotice = (realm: Realm, userId: number, text: string, scope?: LinkScope) =>
  composeDirectFromBot(realm.notificationBotId, realm, userId, text, scope);

/** Composes a direct message from a system bot; permissions do not apply. */
export async function composeDirectFromBot(
  senderId: number,
  realm: Realm,
  userId: number,
  text: string,
  { known, reader }: LinkScope = {},
): Promise<OutgoingMessage> {
  const content = checkContent(text);
  const userIds = [userId, senderId].sort((a, b) => a - b);
  return {
    senderId,
    destination: { kind: "direct", userIds, conversation: await findConversation(userIds) },
    content,
    rendered: await renderTextOrSource(content, realm, reader, known),
    client: "Internal",
    readBySender: false,
  };
}

/** Composes a message from Notification Bot to a channel, to which it may link; permissions and policies do not apply. */
export async function composeChannelNotice(
  realm: Realm,
  channel: Channel,
  topic: string,
  text: string,
  { known = [] }: Pick<LinkScope, "known"> = {},
): Promise<OutgoingMessage> {
  const content = checkContent(text);
  return {
    senderId: realm.notificationBotId,
    destination: { kind: "channel", channel, topic },
    content,
    rendered: await renderTextOrSource(content, realm, undefined, [channel, ...known]),
    client: "Internal",
    readBySender: false,
  };
}

/** Plans messages to channels, which a change with other writes contains; each takes a message number. */
export function planNotices(notices: readonly OutgoingMessage[], numbers: Numbers) {
  const plans = notices.map((notice, index) => {
    const recipientId = notice.destination.kind === "channel" ? notice.destination.channel.recipientId : 0;
    const resolved = { ...notice, recipientId, newConversation: false };
    return planMessage(resolved, { ...numbers, message: numbers.message + index });
  });
  return { ...joinParts(...plans), messages: plans.map(({ message }) => message) };
}
