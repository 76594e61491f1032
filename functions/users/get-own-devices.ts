import { list } from "../../shared/base/schema/params.ts";
import { deviceObject, devicesOf } from "../../shared/features/users/devices.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/me/devices",
    summary: "Lists the devices on which the caller is signed in, those first that were used last.",
    note: "Each sign-in gets a key of its own, that of the device; an account has at most 20. `client` and `system` are what the program said of itself; both are empty, and `date_created` is null, for a sign-in by an earlier version. `last_used` is up to an hour out of date. `ends_at` is null unless the organization has a `session_age_limit_seconds`. Of the network from which a device signed in, only whether it is that of the request is known (`is_in_same_network`).",
    caller: "human",
    params: {},
    returns: { devices: list(deviceObject) },
    uses: { table: "read", secret: true },
  },
  async ({ caller, request }) => ({ devices: await devicesOf(caller, request) }),
);
