import { type Reply, send } from "../http.ts";
import { scimToken } from "./identity-provider-servers.ts";

/** Calls an endpoint below /scim/v2 as the SCIM client of a company does, such as Okta's and Entra's. */
export const scim = (method: string, path: string, body?: unknown, token = scimToken): Promise<Reply> =>
  send(method, `/scim/v2${path}`, body === undefined ? undefined : JSON.stringify(body), {
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/scim+json" }),
    },
  });
