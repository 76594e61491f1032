import { eventForEveryone } from "../store/log/entry.ts";
import { commit } from "../store/log/log.ts";
import { type Linkifier, putLinkifiers, readLinkifiers } from "../store/organization/linkifiers.ts";
import { updateOrganization } from "../store/organization/organization.ts";
import { retryOnConflict } from "../store/table/conflicts.ts";
import { takeIds } from "../store/table/counters.ts";
import { accessLinkifier, checkAcceptable, reorder } from "./rules.ts";
import { toLinkifierWire } from "./wire.ts";

type Change = (linkifiers: readonly Linkifier[]) => Linkifier[];

/** Changes the current list; on a conflict, `change` runs again on the list that another administrator has written. */
const changeList = (change: Change): Promise<void> =>
  retryOnConflict(async () => {
    const { version, linkifiers } = await readLinkifiers();
    const newList = { version: version + 1, linkifiers: change(linkifiers) };
    const event = eventForEveryone({
      type: "realm_linkifiers",
      realm_linkifiers: newList.linkifiers.map(toLinkifierWire),
    });
    return commit({
      writes: [putLinkifiers(newList), updateOrganization({ set: { linkifiersVersion: newList.version } })],
      events: [event],
    });
  });

/** Adds a linkifier at the end of the order and returns its ID. */
export async function addLinkifier(fields: Omit<Linkifier, "id">): Promise<number> {
  checkAcceptable(fields, (await readLinkifiers()).linkifiers);
  const id = await takeIds("linkifier");
  await changeList((linkifiers) => {
    checkAcceptable(fields, linkifiers);
    return [...linkifiers, { id, ...fields }];
  });
  return id;
}

export const editLinkifier = (newLinkifier: Linkifier): Promise<void> =>
  changeList((linkifiers) => {
    const before = accessLinkifier(linkifiers, newLinkifier.id);
    checkAcceptable(
      newLinkifier,
      linkifiers.filter((other) => other !== before),
    );
    return linkifiers.map((linkifier) => (linkifier.id === newLinkifier.id ? newLinkifier : linkifier));
  });

export const removeLinkifier = (id: number): Promise<void> =>
  changeList((linkifiers) => {
    const removedLinkifier = accessLinkifier(linkifiers, id);
    return linkifiers.filter((linkifier) => linkifier !== removedLinkifier);
  });

export const orderLinkifiers = (ids: readonly number[]): Promise<void> =>
  changeList((linkifiers) => reorder(linkifiers, ids));
