import { bool, int, list, object, text, union } from "../../shared/base/schema/params.ts";
import {
  applyPropertyChanges,
  checkPropertyChanges,
  maxPropertyChanges,
} from "../../shared/features/subscriptions/properties.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

const property = object({
  stream_id: int(),
  property: text(),
  value: union([bool(), text()], "a boolean or a string"),
});

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/users/me/subscriptions/properties",
    summary: "Changes the caller's settings for subscribed channels: all requested changes, or none.",
    note: "At most 30 properties.",
    caller: "user",
    params: { subscription_data: list(property, { max: maxPropertyChanges }) },
    returns: {},
    needs: { realm },
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const changes = await checkPropertyChanges(caller, params.subscription_data, realm);
    return { change: applyPropertyChanges(caller.id, changes) };
  },
);
