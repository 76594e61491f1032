import { removeFlags } from "../../../store/messages/message-flags.ts";
import type { Message } from "../../../store/messages/messages.ts";
import type { Write } from "../../../store/table/writes.ts";
import { mentionedUsers } from "../html-facts.ts";
import type { RenderedText } from "../render/render.ts";
import { mentionWrites } from "../send/mention-index.ts";

/** A transaction has a limited number of items. A mention that stays in the index does no harm: `flagsOf` checks the text. */
const maxRemovals = 20;

/** Plans the update of the index of mentions after an edit: adds new mentions, and removes up to `maxRemovals` former ones. */
export function mentionIndexChanges(before: Message, { html, mentionedUserIds }: RenderedText): Write[] {
  const formerIds = new Set(mentionedUsers(before));
  const currentIds = new Set(mentionedUserIds);
  const addedIds = mentionedUserIds.filter((id) => !formerIds.has(id));
  const removedIds = [...formerIds].filter((id) => !currentIds.has(id)).slice(0, maxRemovals);
  return [
    ...mentionWrites({ ...before, html }, addedIds),
    ...removedIds.map((userId) => removeFlags(userId, before.id, ["mentioned"])),
  ];
}
