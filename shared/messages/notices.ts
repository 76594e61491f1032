import type { Realm } from "../organization/access.ts";
import type { Channel } from "../store/channels.ts";
import { findConversation } from "../store/conversations.ts";
import type { OutgoingMessage } from "./actions.ts";
import { checkContent } from "./content.ts";
import { renderText } from "./render.ts";
import type { Author } from "./render-context.ts";

/** What a notice may link beside public channels: the channels of `known`, and what its `reader` sees. */
interface Sight {
  known?: readonly Channel[];
  reader?: Author;
}

/** A direct message from the organization's Notification Bot, ready to be sent; permissions do not apply to it. */
export async function noticeTo(
  realm: Realm,
  userId: number,
  text: string,
  { known, reader }: Sight = {},
): Promise<OutgoingMessage> {
  const content = checkContent(text);
  const userIds = [userId, realm.notificationBotId].sort((a, b) => a - b);
  return {
    senderId: realm.notificationBotId,
    destination: { kind: "direct", userIds, conversation: await findConversation(userIds) },
    content,
    rendered: await renderText(content, realm, reader, known),
    client: "Internal",
    readBySender: false,
  };
}

/** A message from Notification Bot in a channel's topic, which may link the channel; permissions and policies do not apply to it. */
export async function noticeIn(
  realm: Realm,
  channel: Channel,
  topic: string,
  text: string,
  { known = [] }: Pick<Sight, "known"> = {},
): Promise<OutgoingMessage> {
  const content = checkContent(text);
  return {
    senderId: realm.notificationBotId,
    destination: { kind: "channel", channel, topic },
    content,
    rendered: await renderText(content, realm, undefined, [channel, ...known]),
    client: "Internal",
    readBySender: false,
  };
}
