import { channelReference, topicReference } from "../../../shared/core/markdown/source/references.ts";
import { parseRoute } from "../../navigation/address.ts";
import { currentState } from "../../session/store.ts";
import { replaceSelection } from "./formatting.ts";
import { markdownOfPasted } from "./pasting-html.ts";

/** What becomes of pasted texts. Loaded when a field for messages gets the focus. */

/** The Markdown that refers to a channel, a topic or a message of this organization by its address. */
function referenceTo(address: URL): string | undefined {
  if (address.origin !== location.origin || address.pathname !== "/") return undefined;
  const route = parseRoute(address.hash);
  if (route.kind !== "narrow" || (route.narrow.kind !== "topic" && route.narrow.kind !== "channel")) return undefined;
  const { narrow, near } = route;
  const channel = currentState().channels.get(narrow.channelId);
  if (!channel) return undefined;
  const named = { id: channel.stream_id, name: channel.name };
  if (narrow.kind === "topic")
    return topicReference(named, narrow.topic, near === undefined ? {} : { messageId: near });
  return near === undefined ? channelReference(named) : undefined;
}

const isInCode = (before: string) => (before.match(/```/g)?.length ?? 0) % 2 === 1 || /`[^`\n]*$/.test(before);

/**
 * Pastes an address as a link with the selected text, or as a reference by name if it leads into this organization. Returns false if
 * the text is to be pasted as it is.
 */
function pasteAddress(field: HTMLTextAreaElement, pasted: string): boolean {
  const text = pasted.trim();
  const { selectionStart: start, selectionEnd: end, value } = field;
  if (!/^https?:\/\/\S+$/.test(text) || !URL.canParse(text)) return false;
  const selected = value.slice(start, end);
  const isLinkable = selected.trim() !== "" && !/[[\]\n]|^https?:/.test(selected);
  // An address in the parentheses of a link, or one that is replaced, stays an address.
  const isTarget = /\]\($/.test(value.slice(0, start)) || (selected !== "" && !isLinkable);
  const replacement = isLinkable
    ? `[${selected}](${text.replaceAll(")", "%29")})`
    : isTarget
      ? undefined
      : referenceTo(new URL(text));
  if (replacement === undefined) return false;
  replaceSelection(field, replacement);
  return true;
}

/** Pastes HTML as Markdown, so that it keeps its form. Returns false if the text is to be pasted as it is. */
function pasteHtml(field: HTMLTextAreaElement, html: string, text: string): boolean {
  const markdown = markdownOfPasted(html, text);
  if (markdown === undefined) return false;
  const before = field.value.slice(0, field.selectionStart);
  const needsLine = /^(?:[-#>|`]|\d+\. )/.test(markdown) && markdown.includes("\n") && /[^\n]$/.test(before);
  replaceSelection(field, `${needsLine ? "\n" : ""}${markdown}`);
  return true;
}

/** Pastes a text in a better form than its own; returns false if there is none. */
export function paste(field: HTMLTextAreaElement, clipboard: DataTransfer): boolean {
  if (isInCode(field.value.slice(0, field.selectionStart))) return false;
  const text = clipboard.getData("text/plain");
  return pasteAddress(field, text) || pasteHtml(field, clipboard.getData("text/html"), text);
}
