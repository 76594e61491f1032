import { isMailEnabled, pushBouncerUrl } from "../environment.ts";
import { createCursor, cursors } from "../store/log/cursors.ts";
import { readHead } from "../store/log/log.ts";
import { type Organization, updateOrganization } from "../store/organization/organization.ts";
import type { Write } from "../store/table/writes.ts";

/** Whether the log consumer produces notifications, and where it starts. */

/** Whether push is in use: the operator configured a bouncer, and somebody registered a device. */
export const isPushUsed = ({ pushUsed }: Pick<Organization, "pushUsed">): boolean =>
  pushUsed === true && pushBouncerUrl() !== undefined;

export const areNotificationsEnabled = (organization: Pick<Organization, "pushUsed">): boolean =>
  isPushUsed(organization) || isMailEnabled();

/** Starts the cursor at the log's head; must run before notifications are enabled. Costs 3 read and write units. */
export const startNotificationCursor = async (): Promise<void> =>
  createCursor(cursors.notifications, (await readHead()).event);

/** Must be part of the transaction that registers the organization's first device. */
export const markPushUsed = (): Write => updateOrganization({ set: { pushUsed: true } });
