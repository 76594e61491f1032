import { notFound } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { findSnippet, type Snippet } from "../store/users/saved-snippets.ts";

/** Returns a snippet of the caller; others' and unknown ones give the same 404. */
export async function accessSnippet(caller: Caller, id: number): Promise<Snippet> {
  const snippet = await findSnippet(caller.id, id);
  if (!snippet) throw snippetDoesNotExist();
  return snippet;
}

export const snippetDoesNotExist = () => notFound("Saved snippet does not exist.");
