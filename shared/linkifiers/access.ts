import type { Realm } from "../organization/access.ts";
import { type Linkifier, readLinkifiers } from "../store/organization/linkifiers.ts";

let kept: { version: number; linkifiers: Linkifier[] } = { version: 0, linkifiers: [] };

/**
 * The organization's linkifiers in order. An organization that has none costs no read; others one, each time that the
 * organization's `linkifiersVersion` has changed since this process last looked.
 */
export async function linkifiersOf({ linkifiersVersion = 0 }: Pick<Realm, "linkifiersVersion">): Promise<Linkifier[]> {
  if (linkifiersVersion === 0) return [];
  if (kept.version < linkifiersVersion) kept = await readLinkifiers();
  return kept.linkifiers;
}
