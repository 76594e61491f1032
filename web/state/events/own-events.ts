import type { Reminder, ScheduledMessage } from "../model.ts";
import { list, type Reader } from "../readers.ts";
import { draftOf, ids, reminderOf, scheduledOf, snippetOf, stepNamesOf } from "../records.ts";
import { type Handler, type Handlers, without } from "./handler.ts";

/** Events about the user's own data: settings, mutes, drafts, scheduled messages, reminders and snippets. */

/** A map with the records of an event added or replaced; leaves out those that cannot be read. */
function withRecords<T>(
  map: ReadonlyMap<number, T>,
  records: readonly unknown[],
  read: Reader<T>,
  idOf: (record: T) => number,
): ReadonlyMap<number, T> {
  const next = new Map(map);
  for (const record of list(read)(records)) next.set(idOf(record), record);
  return next;
}

const updateDrafts: Handler<"drafts"> = (state, event) => {
  if (event.op === "remove") return { ...state, drafts: without(state.drafts, [event.draft_id]) };
  const records = event.op === "add" ? event.drafts : [event.draft];
  return { ...state, drafts: withRecords(state.drafts, records, draftOf, ({ id }) => id) };
};

const updateScheduled: Handler<"scheduled_messages"> = (state, event) => {
  if (event.op === "remove") return { ...state, scheduled: without(state.scheduled, [event.scheduled_message_id]) };
  const records = event.op === "add" ? event.scheduled_messages : [event.scheduled_message];
  const idOf = (message: ScheduledMessage) => message.scheduled_message_id;
  return { ...state, scheduled: withRecords(state.scheduled, records, scheduledOf, idOf) };
};

const updateReminders: Handler<"reminders"> = (state, event) => {
  if (event.op === "remove") return { ...state, reminders: without(state.reminders, [event.reminder_id]) };
  const idOf = ({ reminder_id }: Reminder) => reminder_id;
  return { ...state, reminders: withRecords(state.reminders, event.reminders, reminderOf, idOf) };
};

const updateSnippets: Handler<"saved_snippets"> = (state, event) => {
  if (event.op === "remove") return { ...state, snippets: without(state.snippets, [event.saved_snippet_id]) };
  return { ...state, snippets: withRecords(state.snippets, [event.saved_snippet], snippetOf, ({ id }) => id) };
};

export const ownHandlers: Handlers = {
  user_settings: (state, event) => ({ ...state, settings: { ...state.settings, [event.property]: event.value } }),
  muted_users: (state, event) => ({
    ...state,
    mutedUsers: new Set(ids(event.muted_users.map(({ id }) => id))),
  }),
  drafts: updateDrafts,
  scheduled_messages: updateScheduled,
  reminders: updateReminders,
  saved_snippets: updateSnippets,
  onboarding_steps: (state, event) => ({ ...state, unseenSteps: stepNamesOf(event.onboarding_steps) }),
};
