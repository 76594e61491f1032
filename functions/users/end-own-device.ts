import { string } from "../../shared/base/schema/params.ts";
import { endOwnDevice } from "../../shared/features/users/devices.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/me/devices/{device_id}",
    summary: "Signs out one of the caller's devices: the next request with its key is refused.",
    note: "Its connections end with the next event, and it gets no more notifications. An app password can end only itself. To sign out of all other devices, create a new API key (`POST /users/me/api_key/regenerate`).",
    caller: "human",
    params: { device_id: string({ max: 100 }) },
    returns: {},
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite", sends: ["outgoing"], pushBouncer: true },
  },
  async ({ caller, params }) => endOwnDevice(caller, params.device_id),
);
