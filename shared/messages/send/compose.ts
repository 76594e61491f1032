import type { Caller } from "../../identity/caller.ts";
import type { Realm } from "../../organization/access.ts";
import { planFiles } from "../../uploads/claims.ts";
import { renderText, topicLinksOf } from "../render/render.ts";
import type { OutgoingMessage } from "./actions.ts";
import type { Destination } from "./destination.ts";
import { checkGroupMentions, checkWildcardMentions } from "./mentions.ts";
import { checkWidgetCommand } from "./widget-content.ts";

/** Renders content that `author` sends to `destination`; refuses mentions that the author may not make, and too large a widget. */
export async function compose(
  author: Caller,
  content: string,
  destination: Destination,
  realm: Realm,
): Promise<Pick<OutgoingMessage, "content" | "rendered" | "topicLinks" | "files">> {
  checkWidgetCommand(content);
  const [rendered, topicLinks] = await Promise.all([
    renderText(content, realm, author),
    destination.kind === "channel" ? topicLinksOf(destination.topic, realm) : undefined,
  ]);
  await checkGroupMentions(author, rendered, realm);
  if (destination.kind === "channel")
    await checkWildcardMentions(author, rendered, destination.channel, destination.topic, realm);
  // The message's transaction has an item for each participant of a direct message, and for each mention. More than 20 mentions
  // are written as one item.
  const participantItems = destination.kind === "direct" ? destination.userIds.length : 0;
  const otherItems = participantItems + Math.min(rendered.mentionedUserIds.length, 20);
  const files = await planFiles({ author, uploadPaths: rendered.uploadPaths, otherItems }, realm);
  return { content, rendered, topicLinks, files };
}

/** Clients operated by a person: messages sent with them count as read by the sender. */
const interactiveClients = new Set([
  "zulipandroid",
  "zulipios",
  "zulipdesktop",
  "zulipmobile",
  "zulipelectron",
  "zulipterminal",
  "snipe",
  "website",
  "ios",
  "android",
]);

/** Whether a message starts as read by its sender if the request does not say. Messages to oneself start as unread. */
export const readByDefault = (client: string, destination: Destination, senderId: number) =>
  interactiveClients.has(client.toLowerCase()) &&
  !(destination.kind === "direct" && destination.userIds.every((id) => id === senderId));
