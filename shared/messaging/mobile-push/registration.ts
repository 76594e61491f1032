import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest } from "../../base/errors.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import { loadRealm } from "../../services/organization/access.ts";
import {
  activatePushDevice,
  createPushDevice,
  findPushDevice,
  listPushDevices,
  type PushDevice,
  replaceFailedPushDevice,
  updatePushDeviceIfUnchanged,
} from "../../store/delivery/push-devices.ts";
import { eventForUser } from "../../store/log/entry.ts";
import { commit } from "../../store/log/log.ts";
import { succeeds } from "../../store/table/conflicts.ts";
import type { Write } from "../../store/table/writes.ts";
import { markPushUsed, startNotificationCursor } from "../notifications/notifications-enabled.ts";
import { BouncerError, postToBouncer } from "./bouncer.ts";
import { registerPushDeviceJob } from "./jobs.ts";

type Registration = Omit<PushDevice, "status" | "errorCode" | "deviceId">;

const deviceEvent = ({ userId, pushAccountId, status, errorCode }: PushDevice) =>
  eventForUser(userId, {
    type: "push_device",
    push_account_id: String(pushAccountId),
    status,
    ...(errorCode !== undefined && { error_code: errorCode }),
  });

/**
 * Stores a registration with the job that sends it to the bouncer. An existing one that has not failed is left unchanged.
 * Refuses more than a person may have, which requests at once may exceed by their number.
 * Costs 8 write units with event and job. See https://zulip.com/api/register-push-device.
 */
export async function addPushDevice(registration: Registration): Promise<void> {
  const devices = await listPushDevices(registration.userId);
  const existing = devices.find(({ pushAccountId }) => pushAccountId === registration.pushAccountId);
  if (existing && existing.status !== "failed") {
    // The app has signed in again: the device no longer ends with its former key.
    const change = updatePushDeviceIfUnchanged(existing, { set: { keyHash: registration.keyHash } });
    if (existing.keyHash !== registration.keyHash) await succeeds(commit({ writes: [change] }));
    return;
  }
  if (!existing && devices.length >= creationLimits.pushDevice.max) throw badRequest(tooMany("pushDevice"));
  const device: PushDevice = { ...registration, status: "pending" };
  const job = outboxJob(registerPushDeviceJob, {
    user_id: device.userId,
    push_account_id: device.pushAccountId,
  });
  const { pushUsed } = await loadRealm();
  if (!pushUsed) await startNotificationCursor();
  const deviceWrite = existing ? replaceFailedPushDevice(device) : createPushDevice(device);
  await succeeds(
    commit({
      // The organization's first device enables notifications, and their cursor must exist before that.
      writes: [deviceWrite, ...(pushUsed ? [] : [markPushUsed()])],
      events: [deviceEvent(device)],
      followUps: [job],
    }),
  );
}

/** Error codes for transient failures: a later attempt may succeed, such as one that an operator starts. */
const transientCodes = {
  unreachable: "FAILED_TO_CONNECT_BOUNCER",
  serverError: "INTERNAL_SERVER_ERROR_ON_BOUNCER",
  disallowed: "ADMIN_ACTION_REQUIRED",
};

/** Sends a registration to the bouncer. Throws to be retried; the last attempt marks the registration as failed first. */
export async function registerWithBouncer(
  id: { userId: number; pushAccountId: number },
  { isLast }: { isLast: boolean },
): Promise<void> {
  const device = await findPushDevice(id);
  const isUnfinished = device?.status === "pending" || Object.values(transientCodes).includes(device?.errorCode ?? "");
  if (!device || !isUnfinished) return;
  const { uuid } = await loadRealm();
  try {
    const { device_id: deviceId } = await postToBouncer("push/e2ee/register", {
      form: {
        realm_uuid: uuid,
        push_account_id: device.pushAccountId,
        encrypted_push_registration: device.encryptedRegistration,
        bouncer_public_key: device.bouncerPublicKey,
      },
    });
    if (typeof deviceId !== "number") throw new BouncerError("serverError", "The bouncer named no device");
    const { errorCode: _, ...rest } = device;
    await finishRegistration({ ...rest, status: "active", deviceId }, activatePushDevice(device, deviceId));
  } catch (error) {
    if (!(error instanceof BouncerError)) throw error;
    if (error.problem === "refused") return fail(device, error.code || "BAD_REQUEST");
    if (isLast && device.status === "pending") await fail(device, transientCodes[error.problem]);
    throw error;
  }
}

/** Writes a registration's result with its event, unless the registration has changed meanwhile. */
async function finishRegistration(after: PushDevice, write: Write): Promise<void> {
  await succeeds(commit({ writes: [write], events: [deviceEvent(after)] }));
}

const fail = (before: PushDevice, errorCode: string) =>
  finishRegistration(
    { ...before, status: "failed", errorCode },
    updatePushDeviceIfUnchanged(before, { set: { status: "failed", errorCode } }),
  );
