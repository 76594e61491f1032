import { limits } from "../limits.ts";
import { eventForUser } from "../store/log/entry.ts";
import { commit } from "../store/log/log.ts";
import { succeeds } from "../store/table/conflicts.ts";
import { takeIds } from "../store/table/counters.ts";
import { createSnippet, deleteSnippet, type Snippet, updateSnippet } from "../store/users/saved-snippets.ts";
import { nowSeconds } from "../time.ts";
import { snippetDoesNotExist } from "./access.ts";
import { tooManySnippets } from "./rules.ts";
import { toSnippetWire } from "./wire.ts";

type Text = Pick<Snippet, "title" | "content">;

/** Saves a snippet and returns its ID; throws at the maximum number of snippets. */
export async function saveSnippet(userId: number, text: Text): Promise<number> {
  const createdAt = nowSeconds();
  const snippet = { id: await takeIds("snippet"), userId, ...text, createdAt };
  await commit({
    writes: createSnippet(snippet, limits.savedSnippets),
    events: [eventForUser(userId, { type: "saved_snippets", op: "add", saved_snippet: toSnippetWire(snippet) })],
    orElse: tooManySnippets,
  });
  return snippet.id;
}

/** Changes a snippet; returns false if it has changed since it was read. */
export function editSnippet(before: Snippet, text: Text): Promise<boolean> {
  const after = { ...before, ...text };
  return succeeds(
    commit({
      writes: [updateSnippet(before, text)],
      events: [
        eventForUser(before.userId, { type: "saved_snippets", op: "update", saved_snippet: toSnippetWire(after) }),
      ],
    }),
  );
}

/** Deletes a snippet; throws if it does not exist any more. */
export const removeSnippet = (snippet: Snippet): Promise<void> =>
  commit({
    writes: deleteSnippet(snippet),
    events: [eventForUser(snippet.userId, { type: "saved_snippets", op: "remove", saved_snippet_id: snippet.id })],
    orElse: snippetDoesNotExist,
  });
