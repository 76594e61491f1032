import { removeFlags } from "../store/message-flags.ts";
import type { Message } from "../store/messages.ts";
import type { Write } from "../store/writes.ts";
import { mentionedUsers } from "./facts.ts";
import { mentionWrites } from "./mention-index.ts";
import type { RenderedText } from "./render.ts";

/** What an edit changes of who is found mentioned: those who are so newly, and (as many as 20) those who are no more. */
export function changedMentions(before: Message, { html, mentionedUserIds }: RenderedText): Write[] {
  const former = new Set(mentionedUsers(before));
  const present = new Set(mentionedUserIds);
  const added = mentionedUserIds.filter((id) => !former.has(id));
  const gone = [...former].filter((id) => !present.has(id)).slice(0, 20);
  return [
    ...mentionWrites({ ...before, html }, added),
    ...gone.map((userId) => removeFlags(userId, before.id, ["mentioned"])),
  ];
}
