import { list } from "../../shared/base/schema/params.ts";
import { deviceObject, devicesOf } from "../../shared/features/users/devices.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/me/devices",
    summary:
      "Lists the devices on which the caller is signed in, and their app passwords, the most recently used first.",
    note: "Each sign-in on a new device returns a key for that device; an account has at most 20 devices and app passwords together, of which at most 10 are app passwords. `client` and `system` are what the program reported about itself, or the name of an app password (`is_app_password`) and nothing; both are empty, and `date_created` is null, if the sign-in was to an earlier version of Skein. `last_used` may be up to an hour out of date. `ends_at` is when the device is signed out if it is not used again; null unless the organization has a `session_age_limit_seconds` or `session_idle_limit_seconds`. `is_in_same_network` says whether the device signed in from the network that this request comes from.",
    caller: "human",
    params: {},
    returns: { devices: list(deviceObject) },
    uses: { table: "read", secret: true },
  },
  async ({ caller, request }) => ({ devices: await devicesOf(caller, request) }),
);
