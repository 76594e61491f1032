import type { GroupSetting } from "../../base/schema/group-setting.ts";
import {
  administrators,
  everyone,
  fullMembers,
  members,
  moderators,
  nobody,
  owners,
} from "../../base/schema/system-groups.ts";

/** Numeric permission policies for old clients. A permission without a number is shown as the nearest stricter one. */

const toPolicyNumber = (numbers: Record<number, number>, otherwise: number) => (value: GroupSetting) =>
  (typeof value === "number" ? numbers[value] : undefined) ?? otherwise;

/** 1 members, 2 administrators, 3 full members, 4 moderators. */
export const channelCreationPolicy = toPolicyNumber(
  { [members]: 1, [administrators]: 2, [fullMembers]: 3, [moderators]: 4 },
  2,
);

/** 2 administrators, 4 moderators, 6 nobody, 7 owners. */
export const webPublicCreationPolicy = toPolicyNumber(
  { [administrators]: 2, [moderators]: 4, [nobody]: 6, [owners]: 7 },
  7,
);

/** 1 everyone, 2 members, 3 full members, 5 administrators, 6 nobody, 7 moderators. */
export const wildcardMentionPolicy = toPolicyNumber(
  { [everyone]: 1, [members]: 2, [fullMembers]: 3, [administrators]: 5, [nobody]: 6, [moderators]: 7 },
  5,
);
