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
  const id = await undefinedOnConflict(
    commit({ events: 1 }, () => ({
      writes: createSnippet(snippet, limits.savedSnippets),
      events: [eventForUser(userId, { type: "saved_snippets", op: "add", saved_snippet: toSnippetWire(snippet) })],
      result: snippet.id,
    })),
  );
  if (id === undefined) throw tooManySnippets();
  return id;
}

/** Changes a snippet; returns undefined if it has changed since it was read. */
export function editSnippet(before: Snippet, text: Text): Promise<true | undefined> {
  const after = { ...before, ...text };
  return undefinedOnConflict(
    commit({ events: 1 }, () => ({
      writes: [updateSnippet(before, text)],
      events: [
        eventForUser(before.userId, { type: "saved_snippets", op: "update", saved_snippet: toSnippetWire(after) }),
      ],
      result: true as const,
    })),
  );
}

/** Deletes a snippet; throws if it does not exist any more. */
export async function removeSnippet(snippet: Snippet): Promise<void> {
  const removed = await undefinedOnConflict(
    commit({ events: 1 }, () => ({
      writes: deleteSnippet(snippet),
      events: [eventForUser(snippet.userId, { type: "saved_snippets", op: "remove", saved_snippet_id: snippet.id })],
      result: true as const,
    })),
  );
  if (!removed) throw snippetDoesNotExist();
}

/** Undefined when a write's condition failed. */
async function undefinedOnConflict<T>(commitment: Promise<T>): Promise<T | undefined> {
  try {
    return await commitment;
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}
