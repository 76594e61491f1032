import { findMessages, type Message } from "../../store/messages/messages.ts";
import type { SourceEntry } from "./sources.ts";

/** Returns the messages of the given entries. Looks up in one batch those of which only the ID is known, and leaves out deleted ones. */
export async function loadMessages(entries: readonly SourceEntry[]): Promise<Message[]> {
  const missing = entries.filter(({ message }) => !message).map(({ id }) => id);
  const found = new Map((await findMessages(missing)).flatMap((message) => (message ? [[message.id, message]] : [])));
  return entries.flatMap(({ id, message }) => message ?? found.get(id) ?? []);
}
