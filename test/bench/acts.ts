import type { Act } from "./act.ts";
import { channelActs } from "./acts-channels.ts";
import { messageActs } from "./acts-messages.ts";
import { organizationActs } from "./acts-organization.ts";
import { ownActs } from "./acts-own.ts";
import { peopleActs } from "./acts-people.ts";

/** Endpoints that no act stands for, each with the reason. */
export const uncounted: Readonly<Record<string, string>> = {
  "GET /": "hands out a file of the build, which this run has not; no table call",
  "GET /reference/{file}": "hands out a file of the build; no table call",
  "GET /api/v1/openapi.json": "hands out a file of the build; no table call",
  "POST /api/v1/export/realm":
    "its work goes on for minutes beside the count; 20 write units and 4 read units (docs/data-model.md)",
  "DELETE /api/v1/export/realm/{export_id}": "needs a finished export",
  "GET /exports/{export_id}/{token}/{filename}": "needs a finished export",
  "POST /api/v1/mobile_push/register":
    "calls the push bouncer, of which this run has none; 8 write units and 2.5 read units (docs/data-model.md)",
  "POST /api/v1/mobile_push/e2ee/test_notification": "calls the push bouncer",
  "POST /api/v1/mobile_push/test_notification": "calls the push bouncer",
};

/** One example of each endpoint at least, in an order in which each finds what it needs. */
export const acts: readonly Act[] = [...messageActs, ...ownActs, ...channelActs, ...peopleActs, ...organizationActs];
