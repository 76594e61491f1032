import type { Realm } from "../organization/access.ts";
import type { Channel } from "../store/channels.ts";
import { findConversation } from "../store/conversations.ts";
import type { OutgoingMessage } from "./actions.ts";
import { checkContent } from "./content.ts";
import { renderText } from "./render.ts";

/**
 * A direct message from the organization's Notification Bot, ready to be sent; permissions do not apply to it. It links
 * public channels, and those in `known`.
 */
export async function noticeTo(
  realm: Realm,
  userId: number,
  text: string,
  known?: readonly Channel[],
): Promise<OutgoingMessage> {
  const content = checkContent(text);
  const userIds = [userId, realm.notificationBotId].sort((a, b) => a - b);
  return {
    senderId: realm.notificationBotId,
    destination: { kind: "direct", userIds, conversation: await findConversation(userIds) },
    content,
    rendered: await renderText(content, realm, undefined, known),
    client: "Internal",
    readBySender: false,
  };
}

/** A message from Notification Bot in a channel's topic; permissions and policies do not apply to it. `known` as above. */
export async function noticeIn(
  realm: Realm,
  channel: Channel,
  topic: string,
  text: string,
  known?: readonly Channel[],
): Promise<OutgoingMessage> {
  const content = checkContent(text);
  return {
    senderId: realm.notificationBotId,
    destination: { kind: "channel", channel, topic },
    content,
    rendered: await renderText(content, realm, undefined, known),
    client: "Internal",
    readBySender: false,
  };
}
