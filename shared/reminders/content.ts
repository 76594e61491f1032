import type { AccessedMessage } from "../messages/access.ts";
import { truncated } from "../messages/content.ts";
import { limits } from "../settings.ts";
import type { User } from "../store/users.ts";

/** Room that is left to the note and the words around the quoted text. */
const quotedLength = limits.messageLength - limits.reminderNoteLength - 500;

/** What a user is told of a message: where it is, their note, and the message's text as it is now. */
export function reminderText({ message, channel }: AccessedMessage, sender: User | undefined, note: string): string {
  const place = channel ? `#**${channel.name}>${message.topic ?? ""}@${message.id}**` : "the following direct message";
  const noted = note === "" ? "" : ` Note:\n> ${note.replaceAll("\n", "\n> ")}`;
  const quoted = truncated(message.content, quotedLength, "\n[message truncated]");
  const fence = "`".repeat(Math.max(3, ...[...quoted.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  const said = `@_**${sender?.fullName ?? ""}|${message.senderId}** said:`;
  return `You requested a reminder for ${place}.${noted}\n\n${said}\n${fence}quote\n${quoted}\n${fence}`;
}
