import { hashOf, padded } from "../table/keys.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { create, type Key, put, type Refusal, remove, type Write, withRefusal } from "../table/writes.ts";

/** What only the SCIM client knows about a user or user group. */
export interface ScimLink {
  /** The user's or group's ID. */
  id: number;
  /** The client's own name for it, of up to 512 characters; unique. */
  externalId?: string;
  /** Whether the client has deleted the user, who is hidden from it until they are active again. */
  deleted?: true;
}

export type ScimKind = "User" | "Group";

const partition = (kind: ScimKind) => `SCIM#${kind}`;
const key = (kind: ScimKind, id: number): Key => ({ pk: partition(kind), sk: padded(id) });
const claimKey = (kind: ScimKind, externalId: string): Key => ({
  pk: `SCIMID#${kind}#${hashOf(externalId)}`,
  sk: "CLAIM",
});

export const findScimLink = (kind: ScimKind, id: number) => getItem<ScimLink>(key(kind, id));

/** 1 read unit for about 30. */
export const listScimLinks = (kind: ScimKind) => queryItems<ScimLink>({ pk: partition(kind) });

/** The ID of the user or group with an external ID. 1 read unit. */
export const findByExternalId = async (kind: ScimKind, externalId: string): Promise<number | undefined> =>
  (await getItem<{ id: number }>(claimKey(kind, externalId)))?.id;

/**
 * Replaces a link. Fails its transaction if the link has changed since it was read, and throws `taken` if another user or group
 * has the external ID.
 */
export function setScimLink(
  kind: ScimKind,
  before: ScimLink | undefined,
  { id, externalId, deleted }: ScimLink,
  taken: Refusal,
): Write[] {
  const link = { id, ...(externalId !== undefined && { externalId }), ...(deleted && { deleted }) };
  const unchanged = before && { equals: { externalId: before.externalId, deleted: before.deleted } };
  const former = before?.externalId === externalId ? undefined : before?.externalId;
  return [
    put({ ...key(kind, id), ...link }, unchanged ?? { exists: false }),
    ...(former === undefined ? [] : [remove(claimKey(kind, former), { equals: { id } })]),
    ...(externalId === undefined || externalId === before?.externalId
      ? []
      : [withRefusal(create({ ...claimKey(kind, externalId), id }), taken)]),
  ];
}
