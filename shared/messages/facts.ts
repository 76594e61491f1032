import type { Message } from "../store/messages.ts";

/**
 * What a message's HTML says about it. Our renderer alone makes that HTML and escapes all that people write, so that a
 * class or an address in it is one that the renderer put there; an edit changes the facts by changing the HTML.
 */

type Rendered = Pick<Message, "html">;

export const hasLink = ({ html }: Rendered) => /<a [^>]*\bhref="/.test(html.replace(/<a class="[^"]*"[^>]*>/g, ""));
export const hasAttachment = ({ html }: Rendered) => html.includes('="/user_uploads/');
export const hasImage = ({ html }: Rendered) =>
  /<div class="message_inline_image|<img [^>]*\bdata-original-/.test(html);
export const hasReaction = (message: Message) => Object.keys(message).some((name) => name.startsWith("by:"));

/** Mentions everyone in the channel, or all participants of a direct message. */
export const mentionsChannel = ({ html }: Rendered) => html.includes('class="user-mention channel-wildcard-mention"');
export const mentionsTopic = ({ html }: Rendered) => html.includes('class="topic-mention"');

/** IDs of the groups that are mentioned aloud. */
export const mentionedGroups = ({ html }: Rendered): number[] =>
  [...html.matchAll(/class="user-group-mention" data-user-group-id="(\d+)"/g)].map(([, id]) => Number(id));

/** IDs of the users who are mentioned aloud, by their own names. */
export const mentionedUsers = ({ html }: Rendered): number[] =>
  [...html.matchAll(/class="user-mention" data-user-id="(\d+)"/g)].map(([, id]) => Number(id));
