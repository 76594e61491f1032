import { limits } from "../settings.ts";
import { takeIds } from "../store/counters.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import { createSnippet, deleteSnippet, type Snippet, updateSnippet } from "../store/snippets.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { wireSnippet } from "./wire.ts";

type Text = Pick<Snippet, "title" | "content">;

const ownEvent = (userId: number, op: string, fields: Record<string, unknown>): LoggedEvent => ({
  audience: { kind: "users", userIds: [userId] },
  event: { type: "saved_snippets", op, ...fields },
});

/** Saves a snippet and returns its ID; undefined when the user has as many as they may. */
export async function saveSnippet(userId: number, text: Text): Promise<number | undefined> {
  const createdAt = Math.floor(Date.now() / 1000);
  const snippet = { id: await takeIds("snippet"), userId, ...text, createdAt };
  return unlessFailed(
    commit({ events: 1 }, () => ({
      writes: createSnippet(snippet, limits.savedSnippets),
      events: [ownEvent(userId, "add", { saved_snippet: wireSnippet(snippet) })],
      result: snippet.id,
    })),
  );
}

/** Changes a snippet that is still as it was read; undefined when it is not. */
export function editSnippet(before: Snippet, text: Text): Promise<true | undefined> {
  const after = { ...before, ...text };
  return unlessFailed(
    commit({ events: 1 }, () => ({
      writes: [updateSnippet(before, text)],
      events: [ownEvent(before.userId, "update", { saved_snippet: wireSnippet(after) })],
      result: true as const,
    })),
  );
}

/** Removes a snippet; undefined when it is gone already. */
export function removeSnippet(snippet: Snippet): Promise<true | undefined> {
  return unlessFailed(
    commit({ events: 1 }, () => ({
      writes: deleteSnippet(snippet),
      events: [ownEvent(snippet.userId, "remove", { saved_snippet_id: snippet.id })],
      result: true as const,
    })),
  );
}

async function unlessFailed<T>(written: Promise<T>): Promise<T | undefined> {
  try {
    return await written;
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}
