/** A group-setting value, in the store and on the wire: the ID of a group, or an anonymous group. */
export type GroupSetting = number | AnonymousGroup;

export interface AnonymousGroup {
  direct_members: number[];
  direct_subgroups: number[];
}

export const onlyMember = (userId: number): GroupSetting => ({ direct_members: [userId], direct_subgroups: [] });
