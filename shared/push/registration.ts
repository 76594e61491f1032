import { outboxJob } from "../jobs/outbox.ts";
import { accessRealm } from "../organization/access.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import {
  activatePushDevice,
  createPushDevice,
  findPushDevice,
  type PushDevice,
  replaceFailedPushDevice,
  settlePushDevice,
} from "../store/push-devices.ts";
import { ConditionFailed } from "../store/transactions.ts";
import type { Write } from "../store/writes.ts";
import { askBouncer, BouncerError } from "./bouncer.ts";
import { beginFollowing, usePush } from "./followed.ts";
import { registerPushDevice } from "./jobs.ts";

type Registration = Omit<PushDevice, "status" | "errorCode" | "deviceId">;

const deviceEvent = ({ userId, pushAccountId, status, errorCode }: PushDevice): LoggedEvent => ({
  audience: { kind: "users", userIds: [userId] },
  event: {
    type: "push_device",
    push_account_id: String(pushAccountId),
    status,
    ...(errorCode !== undefined && { error_code: errorCode }),
  },
});

/**
 * Takes a registration up, to be handed to the bouncer by a worker. One that is there and has not failed stays as it is
 * (companion reference, B 4.9). 8 write units with its event and its job.
 */
export async function register(registration: Registration): Promise<void> {
  const existing = await findPushDevice(registration);
  if (existing && existing.status !== "failed") return;
  const device: PushDevice = { ...registration, status: "pending" };
  const job = outboxJob(registerPushDevice, {
    user_id: device.userId,
    push_account_id: device.pushAccountId,
  });
  const { pushUsed } = await accessRealm();
  if (!pushUsed) await beginFollowing();
  const put = existing ? replaceFailedPushDevice(device) : createPushDevice(device);
  const written = await unlessChanged(
    commit({ events: 1 }, () => ({
      // From the organization's first device on, the log is followed for notifications.
      writes: [put, job.write, ...(pushUsed ? [] : [usePush()])],
      events: [deviceEvent(device)],
      result: true,
    })),
  );
  if (written) await job.send();
}

/** Failures in which the bouncer had no say: a later try, an operator's too, may still succeed. */
const passingCodes = {
  unreachable: "FAILED_TO_CONNECT_BOUNCER",
  serverError: "INTERNAL_SERVER_ERROR_ON_BOUNCER",
  disallowed: "ADMIN_ACTION_REQUIRED",
};

/** Hands a registration to the bouncer; throws to be tried again, and at the last try marks it as failed first. */
export async function registerWithBouncer(
  id: { userId: number; pushAccountId: number },
  { isLast }: { isLast: boolean },
): Promise<void> {
  const device = await findPushDevice(id);
  const open = device?.status === "pending" || Object.values(passingCodes).includes(device?.errorCode ?? "");
  if (!device || !open) return;
  const { uuid } = await accessRealm();
  try {
    const { device_id: deviceId } = await askBouncer("push/e2ee/register", {
      form: {
        realm_uuid: uuid,
        push_account_id: device.pushAccountId,
        encrypted_push_registration: device.encryptedRegistration,
        bouncer_public_key: device.bouncerPublicKey,
      },
    });
    if (typeof deviceId !== "number") throw new BouncerError("serverError", "The bouncer named no device");
    const { errorCode: _, ...rest } = device;
    await settle({ ...rest, status: "active", deviceId }, activatePushDevice(device, deviceId));
  } catch (error) {
    if (!(error instanceof BouncerError)) throw error;
    if (error.problem === "refused") return fail(device, error.code || "BAD_REQUEST");
    if (isLast && device.status === "pending") await fail(device, passingCodes[error.problem]);
    throw error;
  }
}

/** Writes what became of a registration, with its event, unless something else became of it meanwhile. */
async function settle(after: PushDevice, write: Write): Promise<void> {
  await unlessChanged(commit({ events: 1 }, () => ({ writes: [write], events: [deviceEvent(after)], result: true })));
}

const fail = (before: PushDevice, errorCode: string) =>
  settle(
    { ...before, status: "failed", errorCode },
    settlePushDevice(before, { set: { status: "failed", errorCode } }),
  );

async function unlessChanged(written: Promise<boolean>): Promise<boolean> {
  try {
    return await written;
  } catch (error) {
    if (error instanceof ConditionFailed && error.failed.includes(0)) return false;
    throw error;
  }
}
