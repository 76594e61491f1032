import { ordinaryText } from "../../test/support/table/seeding.ts";
import { type Operation, operation, tomorrow, withPreparation } from "./operation.ts";
import { simulateRecentPings } from "./recent-pings.ts";

/** A user's own data: presence, scheduled messages, reminders, drafts, snippets, navigation views. */
export const ownOperations: readonly Operation[] = [
  operation("presence ping", "POST /users/me/presence", () => ({ status: "active", last_update_id: -1 })),
  operation(
    "presence ping of another user",
    "POST /users/me/presence",
    () => ({ status: "active", last_update_id: -1 }),
    "other",
  ),
  withPreparation(
    simulateRecentPings,
    operation("presence ping, incremental", "POST /users/me/presence", ({ replies }) => ({
      status: "active",
      last_update_id: replies["presence ping"].presence_last_update_id,
    })),
  ),
  operation("presence of a person", "GET /users/{other.id}/presence"),
  operation("presence of all", "GET /realm/presence"),
  operation("start a file session", "POST /users/me/file_session"),
  operation("end a file session", "DELETE /users/me/file_session"),
  operation("schedule a message", "POST /scheduled_messages", ({ channel, topic }) => ({
    type: "channel",
    to: channel.id,
    topic,
    content: ordinaryText,
    scheduled_delivery_timestamp: tomorrow(),
  })),
  operation("scheduled messages", "GET /scheduled_messages"),
  operation(
    "change a scheduled message",
    "PATCH /scheduled_messages/{schedule a message.scheduled_message_id}",
    () => ({
      content: "other",
    }),
  ),
  operation("cancel a scheduled message", "DELETE /scheduled_messages/{schedule a message.scheduled_message_id}"),
  operation("create a reminder", "POST /reminders", ({ newestId }) => ({
    message_id: newestId,
    scheduled_delivery_timestamp: tomorrow(),
  })),
  operation("reminders", "GET /reminders"),
  operation("delete a reminder", "DELETE /reminders/{create a reminder.reminder_id}"),
  operation("create a draft", "POST /drafts", ({ channel, topic }) => ({
    drafts: [{ type: "stream", to: [channel.id], topic, content: ordinaryText }],
  })),
  operation("drafts", "GET /drafts"),
  operation("change a draft", "PATCH /drafts/{create a draft.ids.0}", ({ channel, topic }) => ({
    draft: { type: "stream", to: [channel.id], topic, content: "other" },
  })),
  operation("delete a draft", "DELETE /drafts/{create a draft.ids.0}"),
  operation("save a snippet", "POST /saved_snippets", () => ({ title: "t", content: ordinaryText })),
  operation("snippets", "GET /saved_snippets"),
  operation("change a snippet", "PATCH /saved_snippets/{save a snippet.saved_snippet_id}", () => ({ title: "u" })),
  operation("delete a snippet", "DELETE /saved_snippets/{save a snippet.saved_snippet_id}"),
  operation("mark an onboarding step", "POST /users/me/onboarding_steps", () => ({
    onboarding_step: "intro_resolve_topic",
  })),
  operation("add a view", "POST /navigation_views", () => ({ fragment: "narrow/is/starred", is_pinned: true })),
  operation("views", "GET /navigation_views"),
  operation("change a view", "PATCH /navigation_views/narrow/is/starred", () => ({ is_pinned: false })),
  operation("remove a view", "DELETE /navigation_views/narrow/is/starred"),
];
