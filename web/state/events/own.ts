import type { Handler, Handlers } from "./handler.ts";

/** Events about the user's own data: settings, mutes, drafts, scheduled messages and snippets. */

/**
 * A handler of events that add, update or remove records. `many` and `one` are the event's fields with several records or one,
 * `id` is its field with the ID of a removed record, and `key` is the field with a record's own ID.
 */
const recordHandler =
  <Field extends "drafts" | "scheduled" | "snippets">(
    field: Field,
    { many, one, id, key }: { many: string; one: string; id: string; key: string },
  ): Handler =>
  (state, event) => {
    const map = new Map<number, any>(state[field]);
    if (event.op === "remove") map.delete(event[id]);
    else for (const record of event[many] ?? [event[one]]) map.set(record[key], record);
    return { ...state, [field]: map };
  };

export const ownHandlers: Handlers = {
  user_settings: (state, event) => ({ ...state, settings: { ...state.settings, [event.property]: event.value } }),
  muted_users: (state, event) => ({
    ...state,
    mutedUsers: new Set((event.muted_users as { id: number }[]).map(({ id }) => id)),
  }),
  drafts: recordHandler("drafts", { many: "drafts", one: "draft", id: "draft_id", key: "id" }),
  scheduled_messages: recordHandler("scheduled", {
    many: "scheduled_messages",
    one: "scheduled_message",
    id: "scheduled_message_id",
    key: "scheduled_message_id",
  }),
  saved_snippets: recordHandler("snippets", {
    many: "saved_snippets",
    one: "saved_snippet",
    id: "saved_snippet_id",
    key: "id",
  }),
};
