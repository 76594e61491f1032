import type { RenderContext, Rendered } from "./context.ts";
import { renderLines } from "./engine.ts";
import { gatherFacts } from "./gather-facts.ts";
import { RenderState } from "./state.ts";

export type { RenderContext, Rendered } from "./context.ts";

/** The HTML of a message's text, and whom and what it names. */
export async function renderMarkdown(content: string, context: RenderContext): Promise<Rendered> {
  const state = new RenderState(await gatherFacts(content, context));
  // JSON can carry half a surrogate pair, which neither a URL nor a stored text can.
  state.lines = content.toWellFormed().replace(/\r\n?/g, "\n").split("\n");
  const html = content.trim() === "" ? "" : renderLines(state).trim();
  return {
    html,
    mentionedUserIds: [...state.mentionedUserIds],
    mentionedGroupIds: [...state.mentionedGroupIds],
    channelWildcard: state.channelWildcard,
    topicWildcard: state.topicWildcard,
    links: [...state.links],
    uploadPaths: [...state.uploadPaths],
    hasImage: state.hasImage,
    isMeMessage: content.startsWith("/me "),
  };
}
