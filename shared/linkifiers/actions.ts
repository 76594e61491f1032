import { eventForEveryone } from "../store/log/entry.ts";
import { commit } from "../store/log/log.ts";
import { type Linkifier, putLinkifiers, readLinkifiers } from "../store/organization/linkifiers.ts";
import { updateOrganization } from "../store/organization/organization.ts";
import { firstWriteFailed, retryOnConflict } from "../store/table/conflicts.ts";
import { takeIds } from "../store/table/counters.ts";
import { accessLinkifier, checkAcceptable, reordered } from "./rules.ts";
import { toLinkifierWire } from "./wire.ts";

type Change = (linkifiers: readonly Linkifier[]) => Linkifier[];

/** Changes the current list; on a conflict, `change` runs again on the list that another administrator has written. */
const changeList = (change: Change): Promise<void> =>
  retryOnConflict(
    async () => {
      const { version, linkifiers } = await readLinkifiers();
      const changed = { version: version + 1, linkifiers: change(linkifiers) };
      const event = eventForEveryone({
        type: "realm_linkifiers",
        realm_linkifiers: changed.linkifiers.map(toLinkifierWire),
      });
      return commit({ events: 1 }, () => ({
        writes: [putLinkifiers(changed), updateOrganization({ set: { linkifiersVersion: changed.version } })],
        events: [event],
        result: undefined,
      }));
    },
    { isConflict: firstWriteFailed },
  );

/** Adds a linkifier at the end of the order and returns its ID. */
export async function addLinkifier(wanted: Omit<Linkifier, "id">): Promise<number> {
  checkAcceptable(wanted, (await readLinkifiers()).linkifiers);
  const id = await takeIds("linkifier");
  await changeList((linkifiers) => {
    checkAcceptable(wanted, linkifiers);
    return [...linkifiers, { id, ...wanted }];
  });
  return id;
}

export const editLinkifier = (edited: Linkifier): Promise<void> =>
  changeList((linkifiers) => {
    const before = accessLinkifier(linkifiers, edited.id);
    checkAcceptable(
      edited,
      linkifiers.filter((other) => other !== before),
    );
    return linkifiers.map((linkifier) => (linkifier.id === edited.id ? edited : linkifier));
  });

export const removeLinkifier = (id: number): Promise<void> =>
  changeList((linkifiers) => {
    const removed = accessLinkifier(linkifiers, id);
    return linkifiers.filter((linkifier) => linkifier !== removed);
  });

export const orderLinkifiers = (ids: readonly number[]): Promise<void> =>
  changeList((linkifiers) => reordered(linkifiers, ids));
