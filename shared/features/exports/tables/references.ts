import { createHash } from "node:crypto";
import { realmId } from "../../../base/limits.ts";
import type { GroupSetting } from "../../../base/schema/group-setting.ts";
import { nobody } from "../../../base/schema/system-groups.ts";
import type { Context } from "../context.ts";

/** What rows refer to: recipients, groups, clients, and channels and users that may have been left out. */

/** Zulip's types of recipients. */
export const recipientTypes = { user: 1, channel: 2, group: 3 } as const;
type RecipientType = (typeof recipientTypes)[keyof typeof recipientTypes];

/** The ID of a recipient's row, unique among the three types. */
export const recipientId = (type: RecipientType, id: number) => id * 4 + type;

export const recipientRow = (type: RecipientType, id: number) => ({
  id: recipientId(type, id),
  type,
  type_id: id,
});

/** No group of the organization has so high an ID. */
const firstAnonymousGroup = 1_000_000_000;

/** The ID of the group that has a permission. An anonymous group becomes a row with its members. */
async function groupIdOf(value: GroupSetting, { lists, users }: Context): Promise<number> {
  const groups = await lists.ids("zerver_namedusergroup");
  if (typeof value === "number") return groups.has(value) ? value : nobody;
  const id = firstAnonymousGroup + lists.count("zerver_usergroup");
  const lastUserId = users.at(-1)?.id ?? 0;
  await lists.add("zerver_usergroup", [{ id, realm: realmId }]);
  const members = value.direct_members.filter((userId) => userId <= lastUserId);
  await lists.add("zerver_usergroupmembership", memberships(id, members));
  const subgroups = value.direct_subgroups.filter((group) => groups.has(group));
  await lists.add("zerver_groupgroupmembership", nestings(id, subgroups));
  return id;
}

export const memberships = (group: number, userIds: readonly number[]) =>
  userIds.map((user_profile) => ({ user_group: group, user_profile }));

export const nestings = (supergroup: number, subgroupIds: readonly number[]) =>
  subgroupIds.map((subgroup) => ({ supergroup, subgroup }));

/** The permissions of a record, by their names, as IDs of groups. */
export async function groupIdsOf<Name extends string>(
  permissions: Readonly<Record<Name, GroupSetting>>,
  names: readonly Name[],
  context: Context,
): Promise<Record<Name, number>> {
  const ids = {} as Record<Name, number>;
  for (const name of names) ids[name] = await groupIdOf(permissions[name], context);
  return ids;
}

/** The ID of a client's row, which is added when the client is named for the first time. */
export async function clientId(name: string, { lists }: Context): Promise<number> {
  const id = createHash("sha256").update(name).digest().readUIntBE(0, 6);
  if (!(await lists.ids("zerver_client")).has(id)) await lists.add("zerver_client", [{ id, name }]);
  return id;
}

/** The ID of a channel that is in the archive; null for others. */
export async function channelIdOf(id: number | null, { lists }: Context): Promise<number | null> {
  return id !== null && (await lists.ids("zerver_stream")).has(id) ? id : null;
}

/** The ID of a user who is in the archive; null for others. */
export const userIdOf = (id: number | null | undefined, { users }: Context): number | null =>
  id != null && id <= (users.at(-1)?.id ?? 0) ? id : null;
