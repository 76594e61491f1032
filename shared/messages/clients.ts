import type { Destination } from "./destination.ts";

/** Programs in which a person writes: what they send, they have read (companion reference, G). */
const interactive = new Set([
  "zulipandroid",
  "zulipios",
  "zulipdesktop",
  "zulipmobile",
  "zulipelectron",
  "zulipterminal",
  "snipe",
  "website",
  "ios",
  "android",
]);

/** Whether a message starts as read by its sender when the request does not say: not one only to oneself. */
export const readByDefault = (client: string, destination: Destination, senderId: number) =>
  interactive.has(client.toLowerCase()) &&
  !(destination.kind === "direct" && destination.userIds.every((id) => id === senderId));
