import { RenderLimitError } from "../../core/markdown/budget.ts";
import type { RenderContext } from "../../core/markdown/context.ts";
import { renderMarkdown } from "../../core/markdown/render.ts";
import { codeBlockOf } from "../../core/markdown/source/fenced.ts";

/**
 * The HTML of a description, a profile's text or a reminder. One that exceeds the limits of a message is shown as it is written,
 * as code.
 */
export async function renderDescription(text: string, context: RenderContext): Promise<string> {
  try {
    return (await renderMarkdown(text, context)).html;
  } catch (error) {
    if (!(error instanceof RenderLimitError)) throw error;
    return (await renderMarkdown(codeBlockOf(text), context)).html;
  }
}
