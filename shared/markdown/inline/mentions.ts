import { atomicElement, type Element } from "../element.ts";
import {
  channelWildcards,
  groupMentionPattern,
  readUserName,
  topicWildcards,
  userMentionPattern,
} from "./mention-syntax.ts";
import type { InlineParser, InlineRule } from "./parser.ts";
import { pattern } from "./pattern.ts";

/** `@**name**`, `@**name|id**`, `@**|id**` and the wildcards; with `@_` they are silent and notify no one. */
export const userMentionRule: InlineRule = pattern(
  "user_mention",
  "@",
  userMentionPattern,
  ([, sign, name = ""], inline) => mention(name, sign === "_", inline),
);

function mention(name: string, silent: boolean, inline: InlineParser): Element | undefined {
  const { state } = inline;
  if (channelWildcards.has(name)) {
    if (!silent) state.channelWildcard = true;
    return span("user-mention channel-wildcard-mention", name, silent, { "data-user-id": "*" });
  }
  if (topicWildcards.has(name)) {
    if (!silent) state.topicWildcard = true;
    return span("topic-mention", name, silent, {});
  }
  const { fullName, id } = readUserName(name);
  const user = id === undefined ? state.inputs.userByName(name) : state.inputs.userById(id);
  // The name must match the ID. Otherwise a message could show one name and notify another user.
  if (!user || (id !== undefined && fullName && fullName.toLowerCase() !== user.fullName.toLowerCase()))
    return undefined;
  const isSilent = silent || user.isDeactivated === true;
  if (!isSilent) state.mentionedUserIds.add(user.id);
  return span("user-mention", user.fullName, isSilent, { "data-user-id": String(user.id) });
}

function span(kind: string, name: string, silent: boolean, attributes: Record<string, string>): Element {
  return atomicElement("span", { class: silent ? `${kind} silent` : kind, ...attributes }, silent ? name : `@${name}`);
}

/** `@*group*`, and the silent `@_*group*`. */
export const groupMentionRule: InlineRule = pattern(
  "group_mention",
  "@",
  groupMentionPattern,
  ([, sign, written = ""], { state }) => {
    const group = state.inputs.groupByName(written);
    if (!group) return undefined;
    const silent = sign === "_";
    if (!silent) state.mentionedGroupIds.add(group.id);
    const name = group.isSystem ? group.displayName : group.name;
    return atomicElement(
      "span",
      { class: silent ? "user-group-mention silent" : "user-group-mention", "data-user-group-id": String(group.id) },
      silent ? name : `@${name}`,
    );
  },
);
