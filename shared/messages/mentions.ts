import { badRequest } from "../errors.ts";
import { hasPermission } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import { findGroups } from "../store/groups.ts";
import type { Caller } from "../users/caller.ts";
import type { RenderedText } from "./render.ts";

/** Refuses a text that mentions a group which its author may not mention (2.5, `can_mention_group`). */
export async function checkGroupMentions(author: Caller, rendered: RenderedText, { settings }: Realm): Promise<void> {
  if (rendered.mentionedGroupIds.length === 0) return;
  for (const group of await findGroups(rendered.mentionedGroupIds)) {
    if (group && !(await hasPermission(author, group.settings.canMentionGroup, settings)))
      throw badRequest(`You are not allowed to mention user group '${group.name}'.`);
  }
}
