import { int, list, nullable, oneOf, optional, string, withDefault } from "../../shared/base/schema/params.ts";
import { auditRecordObject, findAuditRecords } from "../../shared/core/organization/audit-log.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { auditTypes } from "../../shared/store/organization/audit-log.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/realm/audit_log",
    summary: "Lists who changed what in the organization, newest first. For owners.",
    note: [
      "Not part of Zulip's API. Pass `next` as `before` to get older records; it is null at the end of the list. With a filter, a reply may have few records, or none, although more follow.",
      "`actor` is `user`, `scim`, `operator` (a command of the operator) or `server` (a job, or somebody without an account). `user_id`, `stream_id`, `group_id` and `name` (as it was at the time) say what was changed. `before` and `after` contain only what changed. A record never contains a key, a password or a message's text.",
      "The first 50 sign-ins of an account in a day have records of their own, as do the sign-outs until then. Later ones have one record for each hour, whose `after.times` counts them; failed sign-ins are counted in `after.failures`.",
      "Records are deleted after a year, or after the time that the operator has set.",
    ],
    caller: "owner",
    params: {
      before: optional(string({ max: 40, allowBlank: false })),
      num: withDefault(int({ min: 1, max: 1000 }), 100),
      types: optional(list(oneOf(auditTypes))),
      acting_user_id: optional(int()),
      user_id: optional(int()),
    },
    returns: { records: list(auditRecordObject), next: nullable(string()) },
    uses: { table: "read" },
  },
  async ({ params: { types, acting_user_id, user_id, num, before } }) =>
    findAuditRecords({ types, actingUserId: acting_user_id, userId: user_id }, num, before),
);
