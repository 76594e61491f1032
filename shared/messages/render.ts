import { linkifiersOf } from "../linkifiers/access.ts";
import type { Rendered } from "../markdown/context.ts";
import { emoticonPattern } from "../markdown/inline/emoticons.ts";
import { renderMarkdown } from "../markdown/render.ts";
import { type TopicLink, topicLinks } from "../markdown/topic-links.ts";
import type { Realm } from "../organization/access.ts";
import type { Channel } from "../store/channels.ts";
import { findUserSettings } from "../store/user-settings.ts";
import { type Author, renderContext } from "./render-context.ts";

/** A message's text as HTML, with whom and what it names. */
export type RenderedText = Rendered;

/**
 * Renders a text as it is to be stored; what it names is looked up in the organization as it is now, and a text that
 * names nothing costs no read. `known` are channels that it may name beside those that the author sees.
 */
export async function renderText(
  content: string,
  realm: Realm,
  author?: Author,
  known: readonly Channel[] = [],
): Promise<RenderedText> {
  const translateEmoticons = author !== undefined && (await wantsEmoji(author, content));
  return renderMarkdown(content, { ...renderContext(realm, author, known), translateEmoticons });
}

/** Whether the author has emoticons translated; looked up only for a text that has any. */
const wantsEmoji = async ({ id }: Author, content: string): Promise<boolean> =>
  emoticonPattern().test(content) && (await findUserSettings(id))?.translate_emoticons === true;

/** The links that a topic's text contains, or undefined when there are none, so that nothing is stored of them. */
export async function topicLinksOf(topic: string, realm: Realm): Promise<TopicLink[] | undefined> {
  const links = await topicLinks(topic, await linkifiersOf(realm));
  return links.length > 0 ? links : undefined;
}
