import { badRequest } from "../errors.ts";
import { accessOrganization, type Realm } from "../organization/access.ts";
import { settingsWithoutChannel } from "../organization/actions.ts";
import type { Caller } from "../users/caller.ts";
import { namedCaller } from "./add.ts";
import { changeTo } from "./change.ts";
import { mayAdminister } from "./rules.ts";
import { accessChannel } from "./standing.ts";
import { lookAgainAtTopics } from "./topics-policy.ts";
import { accessChannelUpdate, type ChannelEdit } from "./update.ts";

const mostAttempts = 6;

/**
 * Changes a channel. Somebody else's change at the same time is not lost: all is looked at again, so that an `old` that
 * does not hold any more is told, and what was sent without one is applied to the channel as it now is.
 */
export async function editChannel(caller: Caller, id: number, edit: ChannelEdit, realm: Realm): Promise<void> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const standing = await accessChannel(caller, id, realm, { consistent: true });
    const changes = await accessChannelUpdate(standing, edit, realm);
    if (Object.keys(changes).length === 0) return;
    const job = changes.topicsPolicy === "empty_topic_only" ? lookAgainAtTopics(id) : undefined;
    const beside = { writes: job ? [job.write] : [], events: [] };
    if (!(await changeTo(standing.channel, changes, await namedCaller(caller, realm), realm, beside))) continue;
    await job?.send();
    return;
  }
  throw changedMeanwhile();
}

/**
 * Archives a channel: nothing is written into it any more, new members do not start with it, and no setting of the
 * organization names it as the place for announcements.
 */
export async function archiveChannel(caller: Caller, id: number, realm: Realm): Promise<void> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const standing = await accessChannel(caller, id, realm, { consistent: true });
    if (!mayAdminister(standing)) throw badRequest("You do not have permission to administer this channel.");
    if (standing.channel.isArchived) throw badRequest("Channel is already archived.");
    const by = await namedCaller(caller, realm);
    const unset = settingsWithoutChannel(await accessOrganization(), id);
    if (await changeTo(standing.channel, { isArchived: true, isDefault: false }, by, realm, unset)) return;
  }
  throw changedMeanwhile();
}

const changedMeanwhile = () => badRequest("The channel was changed at the same time; try again.");
