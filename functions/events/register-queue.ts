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
      "`idle_queue_timeout` is how many seconds the queue is kept without a poll, at most a week; `mobile` means 12 hours. The reply's `idle_queue_timeout_secs` is the time that applies, ten minutes by default. The log is kept for a day longer than any queue.",
      "Opening a queue beyond the allowed number deletes the least recently used one. A queue may outlive its idle time by a fifth of it, at most two minutes.",
      "If more than 50,000 messages are unread, `unread_msgs` lists the newest and `old_unreads_missing` is true. Fields for features that Skein lacks have the value that they would have if nobody used the feature. `event_types: null` means the same as leaving it out.",
      "For 10,000 people and 1,000 subscriptions, the reply has 6 MB, or less than 2 MB compressed. Clients that accept gzip, or do not say, get it compressed. A reply that is still too large for a function to return, or that goes to a client that refuses gzip, is a redirect (303).",
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
