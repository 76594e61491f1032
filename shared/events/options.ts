import { badRequest } from "../errors.ts";
import type { QueueOptions } from "../store/event-queues.ts";
import { type Caller, isGuest } from "../users/caller.ts";
import { capabilitiesIn } from "./capabilities.ts";
import { parseQueueNarrow } from "./narrow.ts";

interface SentOptions {
  event_types?: string[] | null | undefined;
  narrow: string[][];
  all_public_streams: boolean;
  apply_markdown: boolean;
  client_gravatar: boolean;
  slim_presence: boolean;
  include_subscribers?: "true" | "false" | "partial" | undefined;
  client_capabilities?: Parameters<typeof capabilitiesIn>[0];
}

/** What a client asks its queue to be, checked. */
export function checkOptions(caller: Caller, sent: SentOptions): QueueOptions {
  if (sent.all_public_streams && isGuest(caller)) throw badRequest("User not authorized for this query");
  const include = sent.include_subscribers;
  return {
    ...(sent.event_types && { eventTypes: [...new Set(sent.event_types)] }),
    narrow: parseQueueNarrow(sent.narrow),
    allPublicStreams: sent.all_public_streams,
    applyMarkdown: sent.apply_markdown,
    clientGravatar: sent.client_gravatar,
    slimPresence: sent.slim_presence,
    includeSubscribers: include === "partial" ? "partial" : include === "true",
    capabilities: capabilitiesIn(sent.client_capabilities),
  };
}
