import type { Caller } from "../../../services/identity/caller.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { listMuterIds } from "../../../store/users/muted-users.ts";
import { planFiles } from "../../uploads/claims.ts";
import { toPathIds } from "../../uploads/link-metadata.ts";
import { renderText, topicLinksOf } from "../render/render.ts";
import type { OutgoingMessage } from "./actions.ts";
import type { Destination } from "./destination.ts";
import { checkMentions, checkWildcardMentions } from "./mentions.ts";
import { checkWidgetCommand } from "./widget-content.ts";

/** Renders content that `author` sends to `destination`; refuses mentions that the author may not make, and too large a widget. */
export async function compose(
  author: Caller,
  content: string,
  destination: Destination,
  realm: Realm,
  claimable?: readonly string[],
): Promise<Pick<OutgoingMessage, "content" | "rendered" | "topicLinks" | "files" | "mutedBy">> {
  checkWidgetCommand(content);
  const [rendered, topicLinks, mutedBy] = await Promise.all([
    renderText(content, realm, author),
    destination.kind === "channel" ? topicLinksOf(destination.topic, realm) : undefined,
    author.wasMuted ? mutersAmong(author.id, destination) : undefined,
  ]);
  await checkMentions(author, rendered, realm);
  if (destination.kind === "channel")
    await checkWildcardMentions(author, rendered, destination.channel, destination.topic, realm);
  // The message's transaction has an item for each participant of a direct message, and for each mention. More than 20 mentions
  // are written as one item.
  const participantItems = destination.kind === "direct" ? destination.userIds.length : 0;
  const otherItems = participantItems + Math.min(rendered.mentionedUserIds.length, 20);
  const uploadPaths = claimable
    ? rendered.uploadPaths.filter((path) => toPathIds(path).every((id) => claimable.includes(id)))
    : rendered.uploadPaths;
  const files = await planFiles({ author, uploadPaths, otherItems }, realm);
  return { content, rendered, topicLinks, files, mutedBy };
}

/** Those who have muted a sender: of a direct message's participants, or all. 0.5 read units for about 80. */
async function mutersAmong(senderId: number, destination: Destination): Promise<number[] | undefined> {
  const muterIds = await listMuterIds(senderId);
  const concerned =
    destination.kind === "direct" ? muterIds.filter((id) => destination.userIds.includes(id)) : muterIds;
  return concerned.length > 0 ? concerned : undefined;
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
