import { ApiError, badRequest } from "../../../base/errors.ts";
import { limits } from "../../../base/limits.ts";
import type { Need } from "../../../base/needs.ts";
import { getLinkifiers } from "../../../core/linkifiers/linkifiers.ts";
import { RenderLimitError } from "../../../core/markdown/budget.ts";
import type { Rendered } from "../../../core/markdown/context.ts";
import { emoticonPattern } from "../../../core/markdown/inline/emoji.ts";
import { renderMarkdown } from "../../../core/markdown/render.ts";
import { codeBlockOf } from "../../../core/markdown/source/fenced.ts";
import { type TopicLink, topicLinks } from "../../../core/markdown/topic-links.ts";
import { jsonBytes } from "../../../services/http/reply-size.ts";
import type { Realm } from "../../../services/organization/access.ts";
import type { Channel } from "../../../store/channels/channels.ts";
import { findUserSettings } from "../../../store/users/user-settings.ts";
import { type Author, readNamed, renderContext } from "./context.ts";

/** A message's content as HTML, with the users, groups and files that it names. */
export type RenderedText = Rendered;

/**
 * Renders content for storage. Looks up what the content refers to; without mentions and links, there is nothing to read.
 * Throws when the HTML would exceed the limits of a message. The content may link to the channels in `alwaysVisible`, besides those that the author can see.
 */
export async function renderText(
  content: string,
  realm: Realm,
  author?: Author,
  alwaysVisible: readonly Channel[] = [],
): Promise<RenderedText> {
  const translateEmoticons = author !== undefined && (await translatesEmoticons(author, content));
  try {
    return await renderMarkdown(content, { ...renderContext(realm, author, alwaysVisible), translateEmoticons });
  } catch (error) {
    throw error instanceof RenderLimitError ? badRequest(renderLimitMessage) : error;
  }
}

/** A request's `content`, rendered as the caller's message. What it names is read early, some of it in vain. */
export const renderedContent: Need<
  RenderedText,
  { caller: Author; params: { content: string }; realm: Promise<Realm> }
> = {
  early: (sent) => readNamed(sent("content") ?? ""),
  load: async ({ caller, params, realm }) => renderText(params.content, await realm, caller),
};

/**
 * Renders a text that somebody else has written, or that quotes what was written before: when it exceeds the limits of a message,
 * it is shown as it is written, as code.
 */
export async function renderTextOrSource(...[content, ...rest]: Parameters<typeof renderText>): Promise<RenderedText> {
  try {
    return await renderText(content, ...rest);
  } catch (error) {
    if (!isRenderLimit(error)) throw error;
    return renderText(codeBlockOf(content), ...rest);
  }
}

const renderLimitMessage = "Unable to render message";
const isRenderLimit = (error: unknown) => error instanceof ApiError && error.message === renderLimitMessage;

/** Whether the author's settings translate emoticons. They are read only for content that contains one. */
const translatesEmoticons = async ({ id }: Author, content: string): Promise<boolean> =>
  emoticonPattern().test(content) && (await findUserSettings(id))?.translate_emoticons === true;

/** The links in a topic's name, as many as are stored; undefined instead of an empty list, so that nothing is stored. */
export const topicLinksOf = async (topic: string, realm: Realm): Promise<TopicLink[] | undefined> =>
  boundedTopicLinks(topic, await getLinkifiers(realm));

/** Like `topicLinksOf`, with the given linkifiers. */
export async function boundedTopicLinks(
  topic: string,
  linkifiers: Parameters<typeof topicLinks>[1],
): Promise<TopicLink[] | undefined> {
  const links = await topicLinks(topic, linkifiers);
  let bytes = 0;
  const fitting = links.filter((link) => {
    bytes += jsonBytes(link);
    return bytes <= limits.topicLinksBytes;
  });
  return fitting.length > 0 ? fitting : undefined;
}
