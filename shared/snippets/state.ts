import { listSnippets } from "../store/snippets.ts";
import type { Caller } from "../users/caller.ts";
import { wireSnippet } from "./wire.ts";

/** What a client that registers is told of saved snippets. */
export const savedSnippetsState = async (caller: Caller) => ({
  saved_snippets: (await listSnippets(caller.id)).map(wireSnippet),
});
