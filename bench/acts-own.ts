import { ordinaryText } from "../test/support/table/seeding.ts";
import { type Act, act, later, withPreparation } from "./act.ts";
import { simulateRecentPings } from "./recent-pings.ts";

/** A user's own data: presence, scheduled messages, reminders, drafts, snippets, views. */
export const ownActs: readonly Act[] = [
  act("presence ping", "POST /users/me/presence", () => ({ status: "active", last_update_id: -1 })),
  act("another's presence ping", "POST /users/me/presence", () => ({ status: "active", last_update_id: -1 }), "other"),
  withPreparation(
    simulateRecentPings,
    act("presence ping, later", "POST /users/me/presence", ({ got }) => ({
      status: "active",
      last_update_id: got["presence ping"].presence_last_update_id,
    })),
  ),
  act("presence of a person", "GET /users/{other.id}/presence"),
  act("presence of all", "GET /realm/presence"),
  act("begin to fetch files by a cookie", "POST /users/me/file_session"),
  act("end that", "DELETE /users/me/file_session"),
  act("schedule a message", "POST /scheduled_messages", ({ channel, topic }) => ({
    type: "channel",
    to: channel.id,
    topic,
    content: ordinaryText,
    scheduled_delivery_timestamp: later(),
  })),
  act("scheduled messages", "GET /scheduled_messages"),
  act("change a scheduled message", "PATCH /scheduled_messages/{schedule a message.scheduled_message_id}", () => ({
    content: "other",
  })),
  act("cancel a scheduled message", "DELETE /scheduled_messages/{schedule a message.scheduled_message_id}"),
  act("ask for a reminder", "POST /reminders", ({ newest }) => ({
    message_id: newest,
    scheduled_delivery_timestamp: later(),
  })),
  act("reminders", "GET /reminders"),
  act("cancel a reminder", "DELETE /reminders/{ask for a reminder.reminder_id}"),
  act("keep a draft", "POST /drafts", ({ channel, topic }) => ({
    drafts: [{ type: "stream", to: [channel.id], topic, content: ordinaryText }],
  })),
  act("drafts", "GET /drafts"),
  act("change a draft", "PATCH /drafts/{keep a draft.ids.0}", ({ channel, topic }) => ({
    draft: { type: "stream", to: [channel.id], topic, content: "other" },
  })),
  act("drop a draft", "DELETE /drafts/{keep a draft.ids.0}"),
  act("save a snippet", "POST /saved_snippets", () => ({ title: "t", content: ordinaryText })),
  act("snippets", "GET /saved_snippets"),
  act("change a snippet", "PATCH /saved_snippets/{save a snippet.saved_snippet_id}", () => ({ title: "u" })),
  act("drop a snippet", "DELETE /saved_snippets/{save a snippet.saved_snippet_id}"),
  act("see a step", "POST /users/me/onboarding_steps", () => ({ onboarding_step: "intro_resolve_topic" })),
  act("add a view", "POST /navigation_views", () => ({ fragment: "narrow/is/starred", is_pinned: true })),
  act("views", "GET /navigation_views"),
  act("change a view", "PATCH /navigation_views/narrow/is/starred", () => ({ is_pinned: false })),
  act("drop a view", "DELETE /navigation_views/narrow/is/starred"),
];
