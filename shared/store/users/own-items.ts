import { segmentIds } from "../messages/read-state.ts";
import { readAhead } from "../table/snapshot.ts";

/**
 * Reads in advance the items of one user that a registration returns, with neighbouring kinds of items in one call. The
 * bounds are sort keys of these kinds; no other items are between them, except the number of saved snippets.
 */
export async function readOwnItemsAhead(userId: number, newestMessage: number): Promise<void> {
  const pk = `USER#${userId}`;
  await Promise.all([
    readAhead({ pk, from: "DRAFT#", to: "DRAFT$" }),
    // Muted users, navigation views, onboarding steps and push devices.
    readAhead({ pk, from: "MUTED#", to: "PUSHDEVICE$" }),
    // Reminders, scheduled messages, settings, saved snippets, subscriptions, unread floors and topics' policies; and before
    // them, event queues and read marks.
    ...(newestMessage < maxPrefetchedSegments * segmentIds
      ? [readAhead({ pk, from: "QUEUE#", to: "USERTOPIC$" })]
      : [readAhead({ pk, from: "QUEUE#", to: "QUEUE$" }), readAhead({ pk, from: "REMINDER#", to: "USERTOPIC$" })]),
  ]);
}

/**
 * With more segments of read marks (a read unit each), it is cheaper to read the unread floors first, and only the
 * segments above them.
 */
const maxPrefetchedSegments = 2;
