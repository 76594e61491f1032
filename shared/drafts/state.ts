import { listDrafts } from "../store/drafts.ts";
import type { Caller } from "../users/caller.ts";
import { wireDraft } from "./wire.ts";

/** Bytes of drafts in one reply, which may have 6 MB. */
const replyBytes = 4_000_000;

/** The caller's drafts, newest edit first, as many as fit into a reply. */
export async function newestDrafts(caller: Caller) {
  const drafts = (await listDrafts(caller.id)).sort((a, b) => b.timestamp - a.timestamp || b.id - a.id);
  let room = replyBytes;
  const fitting = drafts.filter(({ content }) => {
    room -= Buffer.byteLength(content) + 300;
    return room > 0;
  });
  return fitting.map(wireDraft);
}

/** What a client that registers is told of drafts: the newest thousand. */
export const draftsState = async (caller: Caller) => ({ drafts: (await newestDrafts(caller)).slice(0, 1000) });
