import { groupMention, userMention } from "../inline/mention-syntax.ts";

/** Makes the mentions in a quoted line silent: quoting someone is not calling them again. */
export function silenceMentions(line: string): string {
  if (!line.includes("@")) return line;
  return line.replace(userMention(), "@_**$2**").replace(groupMention(), "@_*$2*");
}
