import { limits } from "../../base/limits.ts";
import { RenderLimitError } from "./budget.ts";
import type { RenderContext, Rendered } from "./context.ts";
import { renderLines } from "./engine.ts";
import { loadRenderInputs } from "./load-render-inputs.ts";
import { RenderState } from "./state.ts";

export type { RenderContext, Rendered } from "./context.ts";

/**
 * Renders a message's content, and collects what it mentions and links to. Throws a `RenderLimitError` as soon as the content
 * turns out to exceed the limits of a message.
 */
export async function renderMarkdown(content: string, context: RenderContext): Promise<Rendered> {
  const state = new RenderState(await loadRenderInputs(content, context));
  // JSON may contain lone surrogates, which neither URLs nor stored strings can represent.
  state.lines = content.toWellFormed().replace(/\r\n?/g, "\n").split("\n");
  const html = content.trim() === "" ? "" : renderLines(state).trim();
  if (Buffer.byteLength(html) > limits.renderedBytes) throw new RenderLimitError();
  return {
    html,
    mentionedUserIds: [...state.mentionedUserIds],
    mentionedGroupIds: [...state.mentionedGroupIds],
    channelWildcard: state.channelWildcard,
    topicWildcard: state.topicWildcard,
    uploadPaths: [...state.uploadPaths],
    isMeMessage: content.startsWith("/me "),
  };
}
