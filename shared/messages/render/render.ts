import { getLinkifiers } from "../../linkifiers/access.ts";
import type { Rendered } from "../../markdown/context.ts";
import { emoticonPattern } from "../../markdown/inline/emoji.ts";
import { renderMarkdown } from "../../markdown/render.ts";
import { type TopicLink, topicLinks } from "../../markdown/topic-links.ts";
import type { Realm } from "../../organization/access.ts";
import type { Channel } from "../../store/channels/channels.ts";
import { findUserSettings } from "../../store/users/user-settings.ts";
import { type Author, renderContext } from "./context.ts";

/** A message's content as HTML, with the users, groups and files that it names. */
export type RenderedText = Rendered;

/**
 * Renders content for storage. Looks up what the content refers to; without mentions and links, there is nothing to read.
 * The content may link to the channels in `alwaysVisible`, besides those that the author can see.
 */
export async function renderText(
  content: string,
  realm: Realm,
  author?: Author,
  alwaysVisible: readonly Channel[] = [],
): Promise<RenderedText> {
  const translateEmoticons = author !== undefined && (await translatesEmoticons(author, content));
  return renderMarkdown(content, { ...renderContext(realm, author, alwaysVisible), translateEmoticons });
}

/** Whether the author's settings translate emoticons. They are read only for content that contains one. */
const translatesEmoticons = async ({ id }: Author, content: string): Promise<boolean> =>
  emoticonPattern().test(content) && (await findUserSettings(id))?.translate_emoticons === true;

/** The links in a topic's name; undefined instead of an empty list, so that nothing is stored. */
export async function topicLinksOf(topic: string, realm: Realm): Promise<TopicLink[] | undefined> {
  const links = await topicLinks(topic, await getLinkifiers(realm));
  return links.length > 0 ? links : undefined;
}
