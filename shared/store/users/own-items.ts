import { readAhead } from "../table/snapshot.ts";

/**
 * Reads in advance the items of one user that a registration returns, with neighbouring kinds of items in one call. The
 * bounds are sort keys of these kinds; no other items are between them, except the number of saved snippets.
 */
export async function readOwnItemsAhead(userId: number): Promise<void> {
  const pk = `USER#${userId}`;
  await Promise.all([
    // Muted users, navigation views, onboarding steps and push devices.
    readAhead({ pk, from: "MUTED#", to: "PUSHDEVICE$" }),
    // Reminders, scheduled messages, settings, saved snippets, subscriptions, unread floors and topics' policies.
    readAhead({ pk, from: "REMINDER#", to: "USERTOPIC$" }),
  ]);
}
