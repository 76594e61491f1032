import { badRequest } from "../../base/errors.ts";
import { transact } from "../../store/table/transactions.ts";
import type { Write } from "../../store/table/writes.ts";
import { findByExternalId, type ScimKind, type ScimLink, setScimLink } from "../../store/users/scim-links.ts";
import { taken } from "./protocol.ts";

/** What a request says of an external ID; null removes it, undefined leaves it. */
interface ExternalIdField {
  externalid?: string | null | undefined;
}

/** Refuses the external ID of another user. 1 read unit. */
export async function checkExternalIdFree({ externalid: externalId }: ExternalIdField, ownId?: number): Promise<void> {
  if (typeof externalId !== "string") return;
  const holderId = await findByExternalId("User", externalId);
  if (holderId !== undefined && holderId !== ownId) throw externalIdTaken();
}

/** The link of a user or group whom the client sees, after a request. */
export function linkAfter(id: number, before: ScimLink | undefined, { externalid }: ExternalIdField): ScimLink {
  const externalId = externalid === undefined ? before?.externalId : (externalid ?? undefined);
  return { id, ...(externalId !== undefined && { externalId }) };
}

/** The writes of a link, which has none unless it has changed. */
export const linkWrites = (kind: ScimKind, before: ScimLink | undefined, after: ScimLink): Write[] =>
  before?.externalId === after.externalId && before?.deleted === after.deleted
    ? []
    : setScimLink(kind, before, after, externalIdTaken);

/** Stores a link that has changed, and returns it. Up to 3 write units. */
export async function changeLink(kind: ScimKind, before: ScimLink | undefined, after: ScimLink): Promise<ScimLink> {
  const writes = linkWrites(kind, before, after);
  if (writes.length > 0) await transact(writes, { refusal: changedMeanwhile });
  return after;
}

const changedMeanwhile = () => badRequest("It was changed by another request; try again.");

export const externalIdTaken = () => taken("Another one has this externalId");
