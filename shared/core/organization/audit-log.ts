import { int, jsonValue, mapOf, nullable, oneOf, strictObject, string, type Value } from "../../base/schema/params.ts";
import { jsonBytes, maxReplyBytes } from "../../services/http/reply-size.ts";
import { type AuditRecord, auditTypes, listAuditRecords } from "../../store/organization/audit-log.ts";

/** The audit log as owners see it. */

/** Who made a change: a user, the SCIM client, an operator's command, or the server by itself (`server`). */
const actorKinds = ["user", "scim", "operator", "server"] as const;

export const auditRecordObject = strictObject({
  id: string(),
  timestamp: int(),
  type: oneOf(auditTypes),
  actor: oneOf(actorKinds),
  acting_user_id: nullable(int()),
  client: nullable(string()),
  device_id: nullable(string()),
  user_id: nullable(int()),
  stream_id: nullable(int()),
  group_id: nullable(int()),
  name: nullable(string()),
  before: mapOf(jsonValue()),
  after: mapOf(jsonValue()),
});

type AuditRecordWire = Value<typeof auditRecordObject>;

const toWire = (record: AuditRecord): AuditRecordWire => ({
  id: record.sk,
  timestamp: Math.floor(record.at / 1000),
  type: record.type,
  actor: record.by,
  acting_user_id: record.actingUserId ?? null,
  client: record.client ?? null,
  device_id: record.device ?? null,
  user_id: record.userId ?? null,
  stream_id: record.channelId ?? null,
  group_id: record.groupId ?? null,
  name: record.name ?? null,
  before: { ...record.before },
  after: {
    ...record.after,
    ...(record.failures !== undefined && { failures: record.failures }),
    ...(record.times !== undefined && { times: record.times }),
  },
});

interface Filter {
  types?: readonly string[] | undefined;
  actingUserId?: number | undefined;
  userId?: number | undefined;
}

const matches = (record: AuditRecord, { types, actingUserId, userId }: Filter) =>
  (types === undefined || types.includes(record.type)) &&
  (actingUserId === undefined || record.actingUserId === actingUserId) &&
  (userId === undefined || record.userId === userId);

/** How many records one request reads, so that a filter that nothing matches has an end. */
const maxRead = 2000;
const pageSize = 500;

/**
 * Up to `num` records that match, the newest first, from before a position (absent: from the newest on); and the position before
 * which to go on, null at the end. There may be more although fewer than `num`, or none, are returned.
 */
export async function findAuditRecords(
  filter: Filter,
  num: number,
  before: string | undefined,
): Promise<{ records: AuditRecordWire[]; next: string | null }> {
  const found: AuditRecordWire[] = [];
  let position = before;
  let bytes = 0;
  for (let read = 0; read < maxRead; read += pageSize) {
    const page = await listAuditRecords(pageSize, position);
    for (const record of page) {
      if (matches(record, filter)) {
        const wire = toWire(record);
        bytes += jsonBytes(wire);
        if (found.length === num || bytes > maxReplyBytes) return { records: found, next: position ?? null };
        found.push(wire);
      }
      position = record.sk;
    }
    if (page.length < pageSize) return { records: found, next: null };
  }
  return { records: found, next: position ?? null };
}
