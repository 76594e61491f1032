import { findMessages, type Message } from "../../../store/messages/messages.ts";
import type { SourceEntry } from "./sources.ts";

/** Returns the entries' messages, without deleted ones. Looks up in one batch those of which only the ID is known. */
export async function loadMessages(entries: readonly SourceEntry[]): Promise<Message[]> {
  const missing = entries.filter(({ message }) => !message).map(({ id }) => id);
  const found = new Map((await findMessages(missing)).flatMap((message) => (message ? [[message.id, message]] : [])));
  return entries.flatMap(({ id, message }) => message ?? found.get(id) ?? []);
}
