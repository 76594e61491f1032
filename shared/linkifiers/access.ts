import type { Realm } from "../organization/access.ts";
import { type Linkifier, readLinkifiers } from "../store/organization/linkifiers.ts";

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
