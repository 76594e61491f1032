import { exactly, int, text, type Value } from "../http/params.ts";
import type { Snippet } from "../store/snippets.ts";

/** The record of a saved snippet (companion reference, C). */
export const savedSnippetObject = exactly({ id: int(), title: text(), content: text(), date_created: int() });

export const wireSnippet = ({ id, title, content, createdAt }: Snippet): Value<typeof savedSnippetObject> => ({
  id,
  title,
  content,
  date_created: createdAt,
});
