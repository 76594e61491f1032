import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { ApiError, badRequest } from "../../base/errors.ts";
import { int, strictObject, text, type Value } from "../../base/schema/params.ts";
import type { Realm } from "../../services/organization/access.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import type { Change } from "../../store/log/log.ts";
import { type Linkifier, putLinkifiers, readLinkifiers } from "../../store/organization/linkifiers.ts";
import { updateOrganization } from "../../store/organization/organization.ts";
import { takeIds } from "../../store/table/counters.ts";
import { checkLinkifier } from "../markdown/linkifiers.ts";

/** The linkifier object; see https://zulip.com/api/get-linkifiers. */
export const linkifierObject = strictObject({ id: int(), pattern: text(), url_template: text() });

export const toLinkifierWire = ({ id, pattern, urlTemplate }: Linkifier): Value<typeof linkifierObject> => ({
  id,
  pattern,
  url_template: urlTemplate,
});

let cached: { version: number; linkifiers: Linkifier[] } = { version: 0, linkifiers: [] };

/**
 * The organization's linkifiers in their order. Costs no read if the organization has none; otherwise one read whenever
 * `linkifiersVersion` has changed since the process cached them.
 */
export async function getLinkifiers({ linkifiersVersion = 0 }: Pick<Realm, "linkifiersVersion">): Promise<Linkifier[]> {
  if (linkifiersVersion === 0) return [];
  if (cached.version < linkifiersVersion) cached = await readLinkifiers();
  return cached.linkifiers;
}

/**
 * Refuses a duplicate linkifier, an invalid pattern or template, and a template whose variables differ from the pattern's
 * groups.
 */
function checkAcceptable(linkifier: Omit<Linkifier, "id">, others: readonly Linkifier[]): void {
  const errors = checkLinkifier(linkifier.pattern, linkifier.urlTemplate);
  if (errors) refuse(errors);
  if (others.some(({ pattern }) => pattern === linkifier.pattern))
    refuse({ pattern: ["Linkifier with this pattern already exists."] });
  if (others.length >= creationLimits.linkifier.max) throw badRequest(tooMany("linkifier"));
}

function refuse(errors: { pattern?: string[]; url_template?: string[] }): never {
  const [msg = "Invalid linkifier."] = Object.values(errors).flat();
  throw new ApiError("BAD_REQUEST", msg, { errors });
}

/** Returns a linkifier by ID; throws if it does not exist. */
function accessLinkifier(linkifiers: readonly Linkifier[], id: number): Linkifier {
  const found = linkifiers.find((linkifier) => linkifier.id === id);
  if (!found) throw badRequest("Linkifier not found.");
  return found;
}

/** The list in the order of `ids`, which must name each linkifier once. */
export function reorder(linkifiers: readonly Linkifier[], ids: readonly number[]): Linkifier[] {
  const byId = new Map(linkifiers.map((linkifier) => [linkifier.id, linkifier]));
  const ordered = ids.flatMap((id) => byId.get(id) ?? []);
  if (new Set(ids).size !== ids.length || ids.length !== linkifiers.length || ordered.length !== ids.length)
    throw badRequest("The ordered list must enumerate all existing linkifiers exactly once");
  return ordered;
}

/** A change of the current list. */
async function changeList(change: (linkifiers: readonly Linkifier[]) => Linkifier[]): Promise<Change> {
  const before = await readLinkifiers();
  return listChange(before, change(before.linkifiers));
}

/** Conflicts if another administrator has changed the list since it was read. */
function listChange({ version }: { version: number }, linkifiers: Linkifier[]): Change {
  const newList = { version: version + 1, linkifiers };
  const event = eventForEveryone({
    type: "realm_linkifiers",
    realm_linkifiers: newList.linkifiers.map(toLinkifierWire),
  });
  return {
    writes: [putLinkifiers(newList), updateOrganization({ set: { linkifiersVersion: newList.version } })],
    events: [event],
  };
}

/** The change that adds a linkifier at the end of the order, and its ID. After a conflict, another ID is taken. */
export async function addLinkifier(fields: Omit<Linkifier, "id">): Promise<{ change: Change; id: number }> {
  const before = await readLinkifiers();
  checkAcceptable(fields, before.linkifiers);
  const id = await takeIds("linkifier");
  return { change: listChange(before, [...before.linkifiers, { id, ...fields }]), id };
}

export const editLinkifier = (newLinkifier: Linkifier): Promise<Change> =>
  changeList((linkifiers) => {
    const before = accessLinkifier(linkifiers, newLinkifier.id);
    checkAcceptable(
      newLinkifier,
      linkifiers.filter((other) => other !== before),
    );
    return linkifiers.map((linkifier) => (linkifier.id === newLinkifier.id ? newLinkifier : linkifier));
  });

export const removeLinkifier = (id: number): Promise<Change> =>
  changeList((linkifiers) => {
    const removedLinkifier = accessLinkifier(linkifiers, id);
    return linkifiers.filter((linkifier) => linkifier !== removedLinkifier);
  });

export const orderLinkifiers = (ids: readonly number[]): Promise<Change> =>
  changeList((linkifiers) => reorder(linkifiers, ids));
