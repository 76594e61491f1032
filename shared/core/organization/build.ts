import { advertisedLevel } from "../../base/environment.ts";
import { zulipMergeBase, zulipVersion } from "../../base/limits.ts";
import { nowSeconds } from "../../base/time.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import { commit } from "../../store/log/log.ts";
import { findOrganization, updateOrganization } from "../../store/organization/organization.ts";
import { succeeds } from "../../store/table/conflicts.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { transact } from "../../store/table/transactions.ts";

/**
 * Records the build that serves the organization. If it has changed, sends clients an event to reload
 * themselves and their state: once, even if several processes do this. Returns false if no event was sent. `silently` records
 * the build without events, for an organization that has just been created and has no clients yet.
 */
export async function announceBuild(build: string, { silently = false } = {}): Promise<boolean> {
  const organization = await withConsistentReads(findOrganization);
  if (!organization || organization.build === build) return false;
  const generation = nowSeconds();
  const write = updateOrganization({ set: { build, generation } }, { equals: { build: organization.build } });
  const events = [
    eventForEveryone({
      type: "restart",
      zulip_version: zulipVersion,
      zulip_merge_base: zulipMergeBase,
      zulip_feature_level: advertisedLevel(),
      server_generation: generation,
    }),
    eventForEveryone({ type: "web_reload_client", immediate: false }),
  ];
  // Fails when another process has recorded the same build.
  const isRecorded = await succeeds(silently ? transact([write]) : commit({ writes: [write], events }));
  return isRecorded && !silently;
}
