import { accessProperties, mostChanges, setProperties } from "../../shared/channels/properties.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, either, int, list, object, text } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";

const property = object({
  stream_id: int(),
  property: text(),
  value: either([bool(), text()], "a boolean or a string"),
});

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/subscriptions/properties",
    summary: "Changes what the caller has set for channels that they are subscribed to: all of it, or nothing.",
    caller: "user",
    params: { subscription_data: list(property, { max: mostChanges }) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const changes = await accessProperties(caller, params.subscription_data, await accessRealm());
    if (changes.length > 0) await setProperties(caller.id, changes);
  },
);
