import { limits } from "../limits.ts";
import { eventForUser } from "../store/log/entry.ts";
import { commit } from "../store/log/log.ts";
import { takeIds } from "../store/table/counters.ts";
import { ConditionFailed } from "../store/table/transactions.ts";
import { createSnippet, deleteSnippet, type Snippet, updateSnippet } from "../store/users/saved-snippets.ts";
import { snippetDoesNotExist } from "./access.ts";
import { tooManySnippets } from "./rules.ts";
import { toSnippetWire } from "./wire.ts";

type Text = Pick<Snippet, "title" | "content">;

/** Saves a snippet and returns its ID; throws at the maximum number of snippets. */
export async function saveSnippet(userId: number, text: Text): Promise<number> {
  const createdAt = Math.floor(Date.now() / 1000);
  const snippet = { id: await takeIds("snippet"), userId, ...text, createdAt };
  const isSaved = await falseOnConflict(
    commit({
      writes: createSnippet(snippet, limits.savedSnippets),
      events: [eventForUser(userId, { type: "saved_snippets", op: "add", saved_snippet: toSnippetWire(snippet) })],
    }),
  );
  if (!isSaved) throw tooManySnippets();
  return snippet.id;
}

/** Changes a snippet; returns false if it has changed since it was read. */
export function editSnippet(before: Snippet, text: Text): Promise<boolean> {
  const after = { ...before, ...text };
  return falseOnConflict(
    commit({
      writes: [updateSnippet(before, text)],
      events: [
        eventForUser(before.userId, { type: "saved_snippets", op: "update", saved_snippet: toSnippetWire(after) }),
      ],
    }),
  );
}

/** Deletes a snippet; throws if it does not exist any more. */
export async function removeSnippet(snippet: Snippet): Promise<void> {
  const removed = await falseOnConflict(
    commit({
      writes: deleteSnippet(snippet),
      events: [eventForUser(snippet.userId, { type: "saved_snippets", op: "remove", saved_snippet_id: snippet.id })],
    }),
  );
  if (!removed) throw snippetDoesNotExist();
}

/** False when a write's condition failed. */
async function falseOnConflict(commitment: Promise<void>): Promise<boolean> {
  try {
    await commitment;
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
