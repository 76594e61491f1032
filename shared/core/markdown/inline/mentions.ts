import { nameKey } from "../../../base/name-key.ts";
import { atomicElement, type Element } from "../element.ts";
import type { RenderState } from "../state.ts";
import {
  channelWildcards,
  groupMentionPattern,
  readGroupName,
  readUserName,
  topicWildcards,
  userMentionPattern,
} from "./mention-syntax.ts";
import type { InlineParser, InlineRule } from "./parser.ts";
import { pattern } from "./pattern.ts";

/** `@**name**`, `@**name|id**`, `@**|id**` and the wildcards; with `@_` they are silent and notify no one. */
export const userMentionRule: InlineRule = pattern("@", userMentionPattern, ([, sign, name = ""], inline) =>
  mention(name, sign === "_", inline),
);

function mention(name: string, isSilent: boolean, inline: InlineParser): Element | undefined {
  const { state } = inline;
  if (channelWildcards.has(name)) {
    if (!isSilent) state.channelWildcard = true;
    return span(state, "user-mention channel-wildcard-mention", name, isSilent, { "data-user-id": "*" });
  }
  if (topicWildcards.has(name)) {
    if (!isSilent) state.topicWildcard = true;
    return span(state, "topic-mention", name, isSilent, {});
  }
  const { fullName, id } = readUserName(name);
  const user = id === undefined ? state.inputs.userByName(name) : state.inputs.userById(id);
  // The name must match the ID. Otherwise a message could show one name and notify another user.
  if (!user || (id !== undefined && fullName && nameKey(fullName) !== nameKey(user.fullName))) return undefined;
  const notifies = !isSilent && user.isDeactivated !== true;
  if (notifies) state.mentionedUserIds.add(user.id);
  return span(state, "user-mention", user.fullName, !notifies, { "data-user-id": String(user.id) });
}

/** In a text, this would be the character that it stands for; in a name it stands for itself. */
const entity = /&(?=(?:#\d+|#x[\da-f]+|[a-z\d]+);)/gi;

function span(
  { budget }: RenderState,
  kind: string,
  name: string,
  isSilent: boolean,
  attributes: Record<string, string>,
): Element {
  return atomicElement(
    budget,
    "span",
    { class: isSilent ? `${kind} silent` : kind, ...attributes },
    (isSilent ? name : `@${name}`).replace(entity, "&amp;"),
  );
}

/** `@*group*` and `@*|id*`, and the silent `@_*group*`. */
export const groupMentionRule: InlineRule = pattern(
  "@",
  groupMentionPattern,
  ([, sign, requestedName = ""], { state }) => {
    const named = readGroupName(requestedName);
    const group = "id" in named ? state.inputs.groupById(named.id) : state.inputs.groupByName(named.name);
    if (!group) return undefined;
    const isSilent = sign === "_";
    if (!isSilent) state.mentionedGroupIds.add(group.id);
    const name = group.isSystem ? group.displayName : group.name;
    return atomicElement(
      state.budget,
      "span",
      { class: isSilent ? "user-group-mention silent" : "user-group-mention", "data-user-group-id": String(group.id) },
      isSilent ? name : `@${name}`,
    );
  },
);
