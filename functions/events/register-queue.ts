import { advertisedLevel } from "../../shared/base/environment.ts";
import { limits, zulipMergeBase, zulipVersion } from "../../shared/base/limits.ts";
import { bool, int, list, nullable, oneOf, optional, string, withDefault } from "../../shared/base/schema/params.ts";
import { queueNarrowParam } from "../../shared/features/events/narrow.ts";
import { capabilitiesParam, checkOptions, idleTimeoutParam, lifespanOf } from "../../shared/features/events/options.ts";
import { logHead, register } from "../../shared/features/events/registration.ts";
import { registrationState } from "../../shared/features/events/state.ts";
import { stateShape } from "../../shared/features/events/state-shape.ts";
import { storeLongReply } from "../../shared/services/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/register",
    summary: "Opens an event queue, and returns the state from which its events continue.",
    note: [
      "`idle_queue_timeout` is how long the queue is kept without a poll, in seconds, at most a week; `mobile` is 12 hours. `idle_queue_timeout_secs` says what holds, ten minutes by default. The log is kept for a day longer than any queue.",
      "Another queue than the last one allowed deletes the least recently used. A queue may outlive its idle time by a fifth, at most two minutes.",
      "If more than 50,000 messages are unread, `unread_msgs` lists the newest and `old_unreads_missing` is true. Fields of features that Skein lacks have the value for a feature that nobody uses. `event_types: null` is as if it were absent.",
      "For 10,000 people and 1,000 subscriptions the reply has 6 MB, compressed less than 2 MB, and is sent so to clients that accept gzip or do not say. One that a function cannot return even so, or to a client that refuses gzip, is a redirect (303).",
    ],
    caller: "user",
    params: {
      event_types: optional(nullable(list(string({ max: 100 }), { max: 200 }))),
      fetch_event_types: optional(nullable(list(string({ max: 100 }), { max: 200 }))),
      apply_markdown: withDefault(bool(), false),
      client_gravatar: withDefault(bool(), true),
      slim_presence: withDefault(bool(), false),
      presence_history_limit_days: optional(int({ min: 0 })),
      include_subscribers: withDefault(oneOf(["true", "false", "partial"]), "false"),
      all_public_streams: withDefault(bool(), false),
      narrow: withDefault(queueNarrowParam(), []),
      client_capabilities: optional(capabilitiesParam()),
      idle_queue_timeout: optional(idleTimeoutParam()),
      lifespan_secs: optional(int({ min: 0 })),
    },
    returns: {
      queue_id: string(),
      last_event_id: int(),
      idle_queue_timeout_secs: int(),
      zulip_feature_level: int(),
      zulip_version: string(),
      zulip_merge_base: string(),
      max_bulk_new_subscription_messages: int(),
      ...stateShape,
    },
    needs: { head: logHead },
    storeLongReply,
    creates: "eventQueue",
    uses: {
      table: "readWrite",
      files: "readWrite",
      secret: true,
      pushBouncer: true,
      identityProviders: "list",
      wakeUpQueues: "create",
    },
  },
  async ({ caller, params, request, head }) => {
    const options = checkOptions(caller, params, request.headers["user-agent"]);
    const types = params.fetch_event_types ?? params.event_types;
    const { queue, snapshot } = await register(
      caller,
      head,
      { ...options, lifespanSeconds: lifespanOf(params) },
      ({ event: sequence, message: newestMessage }) =>
        registrationState({
          caller,
          options,
          baseUrl: request.baseUrl,
          presenceHistoryDays: params.presence_history_limit_days,
          sequence,
          newestMessage,
          types: types ? new Set(types) : undefined,
        }),
    );
    return {
      ...snapshot,
      queue_id: queue.id,
      last_event_id: -1,
      idle_queue_timeout_secs: queue.lifespan,
      zulip_feature_level: advertisedLevel(),
      zulip_version: zulipVersion,
      zulip_merge_base: zulipMergeBase,
      max_bulk_new_subscription_messages: limits.bulkNewSubscriptionMessages,
    };
  },
);
