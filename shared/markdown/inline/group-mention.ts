import { atomicElement } from "../element.ts";
import { groupMention } from "./mention-syntax.ts";
import type { InlineRule } from "./parser.ts";
import { pattern } from "./pattern.ts";

/** `@*group*`, and `@_*group*` without notifying its members. */
export const groupMentionRule: InlineRule = pattern("group_mention", "@", groupMention, (match, { state }) => {
  const group = state.facts.groupByName(match[2]!);
  if (!group) return undefined;
  const silent = match[1] === "_";
  if (!silent) state.mentionedGroupIds.add(group.id);
  const name = group.isSystem ? group.displayName : group.name;
  return atomicElement(
    "span",
    { class: silent ? "user-group-mention silent" : "user-group-mention", "data-user-group-id": String(group.id) },
    silent ? name : `@${name}`,
  );
});
