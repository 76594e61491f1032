import type { Message } from "../../store/messages/messages.ts";

/**
 * Derives facts from a message's rendered HTML, so that an edit cannot leave them stale. This is safe because the renderer
 * escapes all user input: a class or URL in the HTML was written by the renderer.
 */

type Rendered = Pick<Message, "html">;

export const hasLink = ({ html }: Rendered) => /<a [^>]*\bhref="/.test(html.replace(/<a class="[^"]*"[^>]*>/g, ""));
export const hasAttachment = ({ html }: Rendered) => html.includes('="/user_uploads/');
export const hasImage = ({ html }: Rendered) =>
  /<div class="message_inline_image|<img [^>]*\bdata-original-/.test(html);
/** Each emoji's users are an attribute of the message's item, `by:<type>:<code>`. */
export const hasReaction = (message: Message) => Object.keys(message).some((name) => name.startsWith("by:"));

/** Whether a message mentions everyone in its channel, or all participants of a direct message. */
export const mentionsChannel = ({ html }: Rendered) => html.includes('class="user-mention channel-wildcard-mention"');
export const mentionsTopic = ({ html }: Rendered) => html.includes('class="topic-mention"');

/** IDs of mentioned groups, without silent mentions. */
export const mentionedGroups = ({ html }: Rendered): number[] =>
  [...html.matchAll(/class="user-group-mention" data-user-group-id="(\d+)"/g)].map(([, id]) => Number(id));

/** IDs of users mentioned by name, without silent mentions. */
export const mentionedUsers = ({ html }: Rendered): number[] =>
  [...html.matchAll(/class="user-mention" data-user-id="(\d+)"/g)].map(([, id]) => Number(id));
