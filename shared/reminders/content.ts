import { limits } from "../limits.ts";
import type { AccessedMessage } from "../messages/access.ts";
import { truncate } from "../schema/text.ts";
import type { User } from "../store/users/users.ts";

/** Characters of the quoted content; leaves room for the note and the surrounding text. */
const quotedLength = limits.messageLength - limits.reminderNoteLength - 500;

/** The content of a reminder: a link to the message, the user's note and the message's current content. */
export function reminderText({ message, channel }: AccessedMessage, sender: User | undefined, note: string): string {
  const place = channel ? `#**${channel.name}>${message.topic ?? ""}@${message.id}**` : "the following direct message";
  const noted = note === "" ? "" : ` Note:\n> ${note.replaceAll("\n", "\n> ")}`;
  const quoted = truncate(message.content, quotedLength, "\n[message truncated]");
  const fence = "`".repeat(Math.max(3, ...[...quoted.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  const said = `@_**${sender?.fullName ?? ""}|${message.senderId}** said:`;
  return `You requested a reminder for ${place}.${noted}\n\n${said}\n${fence}quote\n${quoted}\n${fence}`;
}
