import { pushBouncerUrl } from "../../base/environment.ts";
import { createCursor, cursors } from "../../store/log/cursors.ts";
import { readHead } from "../../store/log/log.ts";
import { type Organization, updateOrganization } from "../../store/organization/organization.ts";
import type { Write } from "../../store/table/writes.ts";

/** Whether the log consumer produces notifications, and where it starts. */

type PushUse = Pick<Organization, "pushUsed" | "browsersUsed">;

/** Whether push is in use: somebody subscribed a browser, or registered a device and the operator configured a bouncer. */
export const isPushUsed = ({ pushUsed, browsersUsed }: PushUse): boolean =>
  browsersUsed === true || (pushUsed === true && pushBouncerUrl() !== undefined);

/** Starts the cursor at the log's head; must run before notifications are enabled. Costs 3 read and write units. */
export const startNotificationCursor = async (): Promise<void> =>
  createCursor(cursors.notifications, (await readHead()).event);

/** Must be part of the transaction that registers the organization's first device. */
export const markPushUsed = (): Write => updateOrganization({ set: { pushUsed: true } });

/** The same for the first browser. */
export const markBrowsersUsed = (): Write => updateOrganization({ set: { browsersUsed: true } });
