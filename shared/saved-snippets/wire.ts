import { trailingItems } from "../http/reply-size.ts";
import type { Caller } from "../identity/caller.ts";
import { int, strictObject, text, type Value } from "../schema/params.ts";
import { listSnippets, type Snippet } from "../store/users/saved-snippets.ts";

/** The saved snippet object; see https://zulip.com/api/get-saved-snippets. */
export const savedSnippetObject = strictObject({ id: int(), title: text(), content: text(), date_created: int() });

export const toSnippetWire = ({ id, title, content, createdAt }: Snippet): Value<typeof savedSnippetObject> => ({
  id,
  title,
  content,
  date_created: createdAt,
});

/** The initial state of the caller's saved snippets: the newest, as many as fit into a reply. */
export const savedSnippetsState = async (caller: Caller) => ({
  saved_snippets: trailingItems((await listSnippets(caller.id)).map(toSnippetWire)),
});
