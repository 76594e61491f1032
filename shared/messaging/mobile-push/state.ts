import { mapOf, nullable, oneOf, strictObject, string } from "../../base/schema/params.ts";
import { listPushDevices } from "../../store/delivery/push-devices.ts";

/** `push_devices` of the initial state: the user's devices by ID. */
export const pushDevicesShape = mapOf(
  strictObject({ status: oneOf(["active", "pending", "failed"]), error_code: nullable(string()) }),
);

export async function pushDevicesState(userId: number) {
  const devices = await listPushDevices(userId);
  return Object.fromEntries(
    devices.map(({ pushAccountId, status, errorCode = null }) => [
      String(pushAccountId),
      { status, error_code: errorCode },
    ]),
  );
}
