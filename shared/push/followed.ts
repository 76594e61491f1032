import { mailIsSent, pushBouncerUrl } from "../settings.ts";
import { readHead } from "../store/log.ts";
import { type Organization, updateOrganization } from "../store/organization.ts";
import { beginAt } from "../store/push-position.ts";
import type { Write } from "../store/writes.ts";

/** Why the log is followed for notifications, and from where on. */

/** Whether devices are told: the operator named a bouncer, and somebody has a device. */
export const tellsDevices = ({ pushUsed }: Pick<Organization, "pushUsed">): boolean =>
  pushUsed === true && pushBouncerUrl() !== undefined;

/** Whether anybody is told of messages in any way. */
export const isFollowed = (organization: Pick<Organization, "pushUsed">): boolean =>
  tellsDevices(organization) || mailIsSent();

/** What is in the log so far concerns nobody; to be done before what makes the log followed. 3 read and write units. */
export const beginFollowing = async (): Promise<void> => beginAt((await readHead()).event);

/** Belongs into the transaction of the organization's first device. */
export const usePush = (): Write => updateOrganization({ set: { pushUsed: true } });
