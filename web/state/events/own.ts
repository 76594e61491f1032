import { list, type Reader } from "../readers.ts";
import { draftOf, ids, scheduledOf, snippetOf } from "../records.ts";
import type { Handler, Handlers, ServerEvent } from "./handler.ts";

/** Events about the user's own data: settings, mutes, drafts, scheduled messages and snippets. */

/**
 * Adds, updates or removes records. `records` are those of the event, of which there may be one in a list of its own, and
 * `removedId` is the event's field with the ID of a removed record.
 */
function changed<T>(
  map: ReadonlyMap<number, T>,
  event: ServerEvent,
  {
    records,
    read,
    idOf,
    removedId,
  }: { records: unknown; read: Reader<T>; idOf: (record: T) => number; removedId: string },
): ReadonlyMap<number, T> {
  const next = new Map(map);
  if (event.op === "remove") next.delete(event[removedId]);
  else for (const record of list(read)(records)) next.set(idOf(record), record);
  return next;
}

const updateDrafts: Handler = (state, event) => ({
  ...state,
  drafts: changed(state.drafts, event, {
    records: event.drafts ?? [event.draft],
    read: draftOf,
    idOf: ({ id }) => id,
    removedId: "draft_id",
  }),
});

const updateScheduled: Handler = (state, event) => ({
  ...state,
  scheduled: changed(state.scheduled, event, {
    records: event.scheduled_messages ?? [event.scheduled_message],
    read: scheduledOf,
    idOf: (message) => message.scheduled_message_id,
    removedId: "scheduled_message_id",
  }),
});

const updateSnippets: Handler = (state, event) => ({
  ...state,
  snippets: changed(state.snippets, event, {
    records: [event.saved_snippet],
    read: snippetOf,
    idOf: ({ id }) => id,
    removedId: "saved_snippet_id",
  }),
});

export const ownHandlers: Handlers = {
  user_settings: (state, event) => ({ ...state, settings: { ...state.settings, [event.property]: event.value } }),
  muted_users: (state, event) => ({
    ...state,
    mutedUsers: new Set(ids((event.muted_users as { id: unknown }[]).map(({ id }) => id))),
  }),
  drafts: updateDrafts,
  scheduled_messages: updateScheduled,
  saved_snippets: updateSnippets,
};
