import { channelOperations } from "./channels.ts";
import { messageOperations } from "./messages.ts";
import type { Operation } from "./operation.ts";
import { organizationOperations } from "./organization.ts";
import { ownOperations } from "./own.ts";
import { peopleOperations } from "./people.ts";

/** Endpoints without an operation, each with the reason. */
export const uncounted: Readonly<Record<string, string>> = {
  "GET /": "serves a file of the build, which does not exist in this run; no table call",
  "GET /client/{file}": "serves a file of the build; no table call",
  "GET /service-worker.js": "serves a file of the build; no table call",
  "GET /join": "fills in a page of the build, which does not exist in this run; 0.5 read units",
  "POST /join": "fills in a page of the build, which does not exist in this run; 3 write units",
  "GET /join/{token}": "fills in a page of the build, which does not exist in this run; 2 read units",
  "POST /join/{token}":
    "fills in a page of the build, which does not exist in this run; like creating a user, plus 4 write units",
  "GET /password-reset": "fills in a page of the build, which does not exist in this run; no table call",
  "POST /password-reset": "fills in a page of the build, which does not exist in this run; 1 write unit",
  "GET /password-reset/{token}": "fills in a page of the build, which does not exist in this run; 3 read units",
  "POST /password-reset/{token}":
    "fills in a page of the build, which does not exist in this run; 3 read units, 4 write units",
  "GET /confirm-email/{token}": "fills in a page of the build, which does not exist in this run; 2 read units",
  "POST /confirm-email/{token}":
    "fills in a page of the build, which does not exist in this run; like a change of address, plus 2 write units",
  "GET /sign-in/{provider}": "calls an identity provider, which does not exist in this run; 0.5 read units",
  "GET /sign-in/{provider}/callback":
    "calls an identity provider, which does not exist in this run; 3.5 read units and 1 write unit",
  "POST /sign-in/{provider}/logout":
    "is called by identity providers, which do not exist in this run; 3 read units and 4 write units",
  "POST /api/v1/token/fetch_api_key":
    "needs a sign-in at an identity provider, which does not exist in this run; 2 read units and 2 write units",
  "POST /api/v1/events/connection":
    "is made once for each connection to a WebSocket; 2 read units, and 5 write units for a queue's first, 1 for later ones",
  "GET /api": "serves a file of the build, which does not exist in this run; no table call",
  "GET /reference/{file}": "serves a file of the build; no table call",
  "GET /static/{path+}": "serves a file of the build; no table call",
  "GET /api/v1/openapi.json": "serves a file of the build; no table call",
  "GET /api/v1/calls/bigbluebutton/create": "always replies that it is not configured; no table call",
  "POST /api/v1/jwt/fetch_api_key": "always replies that it is not enabled; no table call",
  "POST /api/v1/external/{integration}":
    "is called by services, not by clients; like a message, plus 1 read unit where the bot has a secret or a template, and 2 write units where deliveries have an ID",
  "POST /api/v1/bots/{bot_id}/template_preview": "needs what a service has sent; 5 read units",
  "POST /mcp":
    "is called by assistants; 3 read units in two stages, plus what the tool's endpoint costs, and 1 write unit for the log",
  "GET /api/v1/agent_keys/{key_id}/calls":
    "is called when somebody looks at what an assistant has done; 1 read unit for each 25 calls",
  "GET /api/v1/realm/agent_keys": "is called when an administrator looks at all keys; 1 read unit for each",
  "POST /api/v1/streams/{stream_id}/email_address":
    "is called when somebody replaces an address; as reading it, and 1 write unit",
  "GET /unsubscribe/{token}": "is followed from a mail; 1 read unit",
  "POST /unsubscribe/{token}": "is called from a mail; 1 read unit, and as a change of three settings",
  "GET /api/v1/users/me/devices": "is called when somebody looks at their devices; 2 to 3 read units",
  "DELETE /api/v1/users/me/devices/{device_id}":
    "is called when somebody signs out a device; 3 read units and about 10 write units",
  "DELETE /api/v1/users/{user_id}/devices":
    "is called when an administrator signs somebody out; like signing out one device, and 2 write units for each",
  "POST /api/v1/users/me/app_passwords":
    "is called once for each program that gets an app password; like a sign-in on a new device",
  "GET /api/v1/users/me/second_factor": "is called when somebody looks at their second factor; 2 to 3 read units",
  "POST /api/v1/users/me/second_factor":
    "is called when somebody sets up a second factor; like a sign-in that starts no session",
  "POST /api/v1/users/me/second_factor/confirm":
    "is called when somebody sets up a second factor; 3 read units and about 14 write units",
  "DELETE /api/v1/users/me/second_factor":
    "is called when somebody turns their second factor off; 6 read units and about 18 write units",
  "POST /api/v1/users/me/second_factor/recovery_codes":
    "is called when somebody has used up their recovery codes; 4 read units and about 12 write units",
  "DELETE /api/v1/users/{user_id}/second_factor":
    "is called when an administrator helps somebody who has lost their phone; 4 read units and 8 write units",
  "POST /api/v1/second_factor/fetch_api_key":
    "is the second step of a sign-in with a second factor; like the first, and 1 read unit and 4 write units",
  "POST /api/v1/users/me/api_key":
    "is called when somebody looks at their API key; like a sign-in that starts no session",
  "GET /sign-out-device/{token}": "is followed from a mail; 3 to 4 read units",
  "POST /sign-out-device/{token}": "is called from a mail; like signing out a device",
  "GET /api/v1/realm/audit_log": "is called when an owner looks at the audit log; 1 read unit for each 8 KB",
  "GET /api/v1/agent_keys": "is called when somebody connects an assistant; like the list of saved snippets",
  "POST /api/v1/agent_keys":
    "is called once for each assistant; 1 read unit, 1 for each named channel, and 6 write units",
  "DELETE /api/v1/agent_keys/{key_id}": "is called once for each assistant; 5 write units",
  "GET /scim/v2/{document+}": "describes the SCIM endpoints to their client; no table call",
  "GET /scim/v2/Users":
    "is called by the SCIM client alone; 3 read units with an address, otherwise like the list of users",
  "GET /scim/v2/Users/{id}": "is called by the SCIM client alone; 2 read units",
  "POST /scim/v2/Users": "is called by the SCIM client alone; like creating a user, plus 4 read and 4 write units",
  "PUT /scim/v2/Users/{id}":
    "is called by the SCIM client alone; like changing or deactivating a user, plus 4 read units",
  "PATCH /scim/v2/Users/{id}":
    "is called by the SCIM client alone; like changing or deactivating a user, plus 4 read units",
  "DELETE /scim/v2/Users/{id}":
    "is called by the SCIM client alone; like deactivating a user, plus 3 read and 4 write units",
  "GET /scim/v2/Groups":
    "is called by the SCIM client alone; 3 read units with a name, otherwise like the list of groups",
  "GET /scim/v2/Groups/{id}": "is called by the SCIM client alone; 2 read units",
  "POST /scim/v2/Groups":
    "is called by the SCIM client alone; like creating a user group, plus 3 read and 4 write units",
  "PUT /scim/v2/Groups/{id}": "is called by the SCIM client alone; like changing a user group, plus 3 read units",
  "PATCH /scim/v2/Groups/{id}": "is called by the SCIM client alone; like changing a user group, plus 3 read units",
  "DELETE /scim/v2/Groups/{id}":
    "is called by the SCIM client alone; like deactivating a user group, plus 2 read and 4 write units",
  "POST /api/v1/realm/deactivate":
    "would deactivate the organization of this run; 10 write units, plus 1 read and 1 write unit per account",
  "POST /api/v1/messages/{message_id}/report":
    "needs a channel for moderation requests; like a message to a channel, plus 3 reads",
  "POST /api/v1/export/realm":
    "starts minutes of background work, which would be counted with other calls; 20 write units and 4 read units",
  "DELETE /api/v1/export/realm/{export_id}": "needs a finished export",
  "GET /exports/{export_id}/{token}/{filename}": "needs a finished export",
  "POST /api/v1/realm/import":
    "needs an organization that nobody has used; reads the table up to the first page with something that somebody wrote, and 2 write units",
  "POST /api/v1/realm/import/parts": "needs an import; 1 read unit and 1 write unit for each 16 MB of its archive",
  "POST /api/v1/realm/import/check":
    "needs an uploaded archive; 1 read unit, 1 write unit, a request to S3 for each 16 MB, and a run of up to 15 minutes",
  "POST /api/v1/realm/import/confirm":
    "needs an archive that has been checked; 1 read unit and 1 write unit, and the import",
  "GET /api/v1/realm/import/{token}": "needs an import; 1 read unit",
  "DELETE /api/v1/realm/import/{token}": "needs an import; 1 read unit and 1 write unit, and giving up the import",
  "GET /imports/{token}": "fills in a page of the build, which does not exist in this run; 1 read unit",
  "POST /imports/{token}":
    "fills in a page of the build, which does not exist in this run; like giving up an import, plus 1 read unit",
  "POST /api/v1/mobile_push/register":
    "calls the push bouncer, which does not exist in this run; 8 write units and 2.5 read units",
  "POST /api/v1/mobile_push/e2ee/test_notification": "calls the push bouncer",
  "POST /api/v1/mobile_push/test_notification": "calls the push bouncer",
  "GET /api/v1/web_push/key": "derives a key, which a client asks for once; no table call",
  "POST /api/v1/web_push/subscriptions": "needs a browser; 6 write units and 2.5 read units",
  "DELETE /api/v1/web_push/subscriptions": "needs a browser; 6 write units and 2 read units",
};

/** At least one example of each endpoint, ordered so that each comes after the operations whose replies it uses. */
export const operations: readonly Operation[] = [
  ...messageOperations,
  ...ownOperations,
  ...channelOperations,
  ...peopleOperations,
  ...organizationOperations,
];
