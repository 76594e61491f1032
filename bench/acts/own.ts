import { ordinaryText } from "../../test/support/table/seeding.ts";
import { type Act, act, tomorrow, withPreparation } from "./act.ts";
import { simulateRecentPings } from "./recent-pings.ts";

/** A user's own data: presence, scheduled messages, reminders, drafts, snippets, navigation views. */
export const ownActs: readonly Act[] = [
  act("presence ping", "POST /users/me/presence", () => ({ status: "active", last_update_id: -1 })),
  act(
    "presence ping of another user",
    "POST /users/me/presence",
    () => ({ status: "active", last_update_id: -1 }),
    "other",
  ),
  withPreparation(
    simulateRecentPings,
    act("presence ping, incremental", "POST /users/me/presence", ({ replies }) => ({
      status: "active",
      last_update_id: replies["presence ping"].presence_last_update_id,
    })),
  ),
  act("presence of a person", "GET /users/{other.id}/presence"),
  act("presence of all", "GET /realm/presence"),
  act("start a file session", "POST /users/me/file_session"),
  act("end a file session", "DELETE /users/me/file_session"),
  act("schedule a message", "POST /scheduled_messages", ({ channel, topic }) => ({
    type: "channel",
    to: channel.id,
    topic,
    content: ordinaryText,
    scheduled_delivery_timestamp: tomorrow(),
  })),
  act("scheduled messages", "GET /scheduled_messages"),
  act("change a scheduled message", "PATCH /scheduled_messages/{schedule a message.scheduled_message_id}", () => ({
    content: "other",
  })),
  act("cancel a scheduled message", "DELETE /scheduled_messages/{schedule a message.scheduled_message_id}"),
  act("create a reminder", "POST /reminders", ({ newestId }) => ({
    message_id: newestId,
    scheduled_delivery_timestamp: tomorrow(),
  })),
  act("reminders", "GET /reminders"),
  act("delete a reminder", "DELETE /reminders/{create a reminder.reminder_id}"),
  act("create a draft", "POST /drafts", ({ channel, topic }) => ({
    drafts: [{ type: "stream", to: [channel.id], topic, content: ordinaryText }],
  })),
  act("drafts", "GET /drafts"),
  act("change a draft", "PATCH /drafts/{create a draft.ids.0}", ({ channel, topic }) => ({
    draft: { type: "stream", to: [channel.id], topic, content: "other" },
  })),
  act("delete a draft", "DELETE /drafts/{create a draft.ids.0}"),
  act("save a snippet", "POST /saved_snippets", () => ({ title: "t", content: ordinaryText })),
  act("snippets", "GET /saved_snippets"),
  act("change a snippet", "PATCH /saved_snippets/{save a snippet.saved_snippet_id}", () => ({ title: "u" })),
  act("delete a snippet", "DELETE /saved_snippets/{save a snippet.saved_snippet_id}"),
  act("mark an onboarding step", "POST /users/me/onboarding_steps", () => ({ onboarding_step: "intro_resolve_topic" })),
  act("add a view", "POST /navigation_views", () => ({ fragment: "narrow/is/starred", is_pinned: true })),
  act("views", "GET /navigation_views"),
  act("change a view", "PATCH /navigation_views/narrow/is/starred", () => ({ is_pinned: false })),
  act("remove a view", "DELETE /navigation_views/narrow/is/starred"),
];
