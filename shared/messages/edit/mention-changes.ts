import { removeFlags } from "../../store/messages/message-flags.ts";
import type { Message } from "../../store/messages/messages.ts";
import type { Write } from "../../store/table/writes.ts";
import { mentionedUsers } from "../html-facts.ts";
import type { RenderedText } from "../render/render.ts";
import { mentionWrites } from "../send/mention-index.ts";

/** Updates the index of mentions after an edit: adds new mentions and removes up to 20 former ones, to bound the transaction. */
export function mentionIndexChanges(before: Message, { html, mentionedUserIds }: RenderedText): Write[] {
  const former = new Set(mentionedUsers(before));
  const present = new Set(mentionedUserIds);
  const added = mentionedUserIds.filter((id) => !former.has(id));
  const removedMentions = [...former].filter((id) => !present.has(id)).slice(0, 20);
  return [
    ...mentionWrites({ ...before, html }, added),
    ...removedMentions.map((userId) => removeFlags(userId, before.id, ["mentioned"])),
  ];
}
