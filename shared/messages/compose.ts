import { planFiles } from "../files/claims.ts";
import type { Realm } from "../organization/access.ts";
import type { Caller } from "../users/caller.ts";
import type { OutgoingMessage } from "./actions.ts";
import type { Destination } from "./destination.ts";
import { checkGroupMentions } from "./mentions.ts";
import { renderText, topicLinksOf } from "./render.ts";
import { checkWildcardMentions } from "./wildcards.ts";

/** The stored form of a text that `author` sends to `destination`; refuses mentions of groups that they may not mention. */
export async function compose(
  author: Caller,
  content: string,
  destination: Destination,
  realm: Realm,
): Promise<Pick<OutgoingMessage, "content" | "rendered" | "topicLinks" | "files">> {
  const [rendered, topicLinks] = await Promise.all([
    renderText(content, realm, author),
    destination.kind === "channel" ? topicLinksOf(destination.topic, realm) : undefined,
  ]);
  await checkGroupMentions(author, rendered, realm);
  if (destination.kind === "channel")
    await checkWildcardMentions(author, rendered, destination.channel, destination.topic, realm);
  const pointers = destination.kind === "direct" ? destination.userIds.length : 0;
  // Mentions of many are written as one.
  const others = pointers + Math.min(rendered.mentionedUserIds.length, 20);
  const files = await planFiles({ author, uploadPaths: rendered.uploadPaths, others }, realm);
  return { content, rendered, topicLinks, files };
}
