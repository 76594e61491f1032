import { notFound } from "../errors.ts";
import { findSnippet, type Snippet } from "../store/snippets.ts";
import type { Caller } from "../users/caller.ts";

/** The caller's own snippet; another's and an unknown one give the same 404 (companion reference, B 4.13). */
export async function accessSnippet(caller: Caller, id: number): Promise<Snippet> {
  const snippet = await findSnippet(caller.id, id);
  if (!snippet) throw snippetDoesNotExist();
  return snippet;
}

export const snippetDoesNotExist = () => notFound("Saved snippet does not exist.");
