import type { Act } from "./act.ts";
import { channelActs } from "./acts-channels.ts";
import { messageActs } from "./acts-messages.ts";
import { organizationActs } from "./acts-organization.ts";
import { ownActs } from "./acts-own.ts";
import { peopleActs } from "./acts-people.ts";

/** Endpoints without an act, each with the reason. */
export const uncounted: Readonly<Record<string, string>> = {
  "GET /": "hands out a file of the build, which this run has not; no table call",
  "GET /client/{file}": "hands out a file of the build; no table call",
  "GET /service-worker.js": "hands out a file of the build; no table call",
  "GET /join": "fills a page of the build, which this run has not; half a read unit",
  "POST /join": "fills a page of the build, which this run has not; 3 write units",
  "GET /join/{token}": "fills a page of the build, which this run has not; 2 read units",
  "POST /join/{token}": "fills a page of the build, which this run has not; as creating a user, and 4 write units",
  "GET /password-reset": "fills a page of the build, which this run has not; no table call",
  "POST /password-reset": "fills a page of the build, which this run has not; 1 write unit",
  "GET /password-reset/{token}": "fills a page of the build, which this run has not; 3 read units",
  "POST /password-reset/{token}": "fills a page of the build, which this run has not; 3 read units, 4 write units",
  "GET /confirm-email/{token}": "fills a page of the build, which this run has not; 2 read units",
  "POST /confirm-email/{token}":
    "fills a page of the build, which this run has not; as a change of address, and 2 write units",
  "GET /api": "hands out a file of the build, which this run has not; no table call",
  "GET /reference/{file}": "hands out a file of the build; no table call",
  "GET /static/{path+}": "hands out a file of the build; no table call",
  "GET /api/v1/openapi.json": "hands out a file of the build; no table call",
  "GET /api/v1/calls/bigbluebutton/create": "answers that there is none; no table call",
  "POST /api/v1/realm/deactivate":
    "ends the organization of this run; 10 write units, and 1 of each kind for each account",
  "POST /api/v1/messages/{message_id}/report": "needs a channel of the moderators; a message to a channel and 3 reads",
  "POST /api/v1/export/realm":
    "its work goes on for minutes beside the count; 20 write units and 4 read units (docs/data-model.md)",
  "DELETE /api/v1/export/realm/{export_id}": "needs a finished export",
  "GET /exports/{export_id}/{token}/{filename}": "needs a finished export",
  "POST /api/v1/mobile_push/register":
    "calls the push bouncer, of which this run has none; 8 write units and 2.5 read units (docs/data-model.md)",
  "POST /api/v1/mobile_push/e2ee/test_notification": "calls the push bouncer",
  "POST /api/v1/mobile_push/test_notification": "calls the push bouncer",
};

/** At least one example of each endpoint, in an order in which each has what it needs. */
export const acts: readonly Act[] = [...messageActs, ...ownActs, ...channelActs, ...peopleActs, ...organizationActs];
