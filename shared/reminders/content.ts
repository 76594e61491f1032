import { limits } from "../limits.ts";
import type { AccessedMessage } from "../messages/access.ts";
import { truncate } from "../schema/text.ts";
import type { User } from "../store/users/users.ts";

/** Leaves 500 code points for the text around the quotation and the note. */
const maxQuotedCodePoints = limits.messageLength - limits.reminderNoteLength - 500;

/** The content of a reminder: a link to the message, the user's note and the message's current content. */
export function reminderText({ message, channel }: AccessedMessage, sender: User | undefined, note: string): string {
  const messageReference = channel
    ? `#**${channel.name}>${message.topic ?? ""}@${message.id}**`
    : "the following direct message";
  const noteBlock = note === "" ? "" : ` Note:\n> ${note.replaceAll("\n", "\n> ")}`;
  const quoted = truncate(message.content, maxQuotedCodePoints, "\n[message truncated]");
  const fence = "`".repeat(Math.max(3, ...[...quoted.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  const attribution = `@_**${sender?.fullName ?? ""}|${message.senderId}** said:`;
  return `You requested a reminder for ${messageReference}.${noteBlock}\n\n${attribution}\n${fence}quote\n${quoted}\n${fence}`;
}
