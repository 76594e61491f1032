import { randomBytes } from "node:crypto";
import { type Actor, actor } from "../../base/actor.ts";
import { auditLogDays } from "../../base/environment.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { padded } from "../table/keys.ts";
import { queryItems } from "../table/reads.ts";
import { updateItem } from "../table/single-writes.ts";
import { create, update, type Write } from "../table/writes.ts";

/**
 * The organization's audit log: who changed what, and when. Each record is written in the transaction of its change, so that neither
 * exists without the other, and nothing changes it afterwards; only the count of an hour's sign-ins goes up until the hour ends. It never contains a secret or the text of a message.
 */

/** What records are about. */
export const auditTypes = [
  "signed_in",
  "sign_in_failed",
  "signed_out",
  "app_password_created",
  "second_factor_enabled",
  "second_factor_disabled",
  "second_factor_reset",
  "recovery_codes_replaced",
  "recovery_code_used",
  "user_created",
  "user_deactivated",
  "user_reactivated",
  "user_erased",
  "role_changed",
  "user_renamed",
  "email_changed",
  "password_changed",
  "api_key_changed",
  "api_key_shown",
  "identity_linked",
  "bot_changed",
  "group_created",
  "group_changed",
  "group_members_changed",
  "organization_changed",
  "defaults_changed",
  "organization_deactivated",
  "organization_reactivated",
  "channel_changed",
  "message_deleted",
  "topic_deleted",
  "export_started",
  "export_deleted",
  "import_started",
  "organization_imported",
  "import_given_up",
  "invitations_sent",
  "invitation_link_created",
  "invitation_revoked",
  "domain_added",
  "domain_changed",
  "domain_removed",
] as const;

export type AuditType = (typeof auditTypes)[number];

/** What was changed. Names are those of that time. */
interface AuditSubject {
  userId?: number | undefined;
  channelId?: number | undefined;
  groupId?: number | undefined;
  name?: string | undefined;
}

type Values = Readonly<Record<string, unknown>>;

export interface AuditRecord extends AuditSubject {
  sk: string;
  type: AuditType;
  /** UNIX milliseconds. */
  at: number;
  by: Actor["kind"] | "server";
  /** Of a user. */
  actingUserId?: number;
  client?: string;
  device?: string;
  /** Values by the API's names: those that the change replaced, and those that it set. */
  before?: Values;
  after?: Values;
  /** How many sign-ins have failed in the hour. */
  failures?: number;
  /** How often it has happened in the hour. */
  times?: number;
  /** UNIX seconds. */
  expiresAt: number;
}

const pk = "AUDIT";

/** The record of a change, for its transaction: 2 write units for each KB. */
export function auditRecord(
  type: AuditType,
  { before, after, ...subject }: AuditSubject & { before?: Values; after?: Values },
): Write {
  const at = Date.now();
  const current = actor.get();
  const record: AuditRecord = {
    // Records of the same millisecond differ by chance.
    sk: `${padded(at)}#${randomBytes(6).toString("hex")}`,
    type,
    at,
    by: current?.kind ?? "server",
    ...(current?.kind === "user" && { actingUserId: current.userId, client: current.client }),
    ...(current?.kind === "user" && current.device !== undefined && { device: current.device }),
    ...subject,
    ...(before && { before }),
    ...(after && { after }),
    expiresAt: expiryOf(),
  };
  return create({ pk, ...record });
}

/**
 * Records that somebody gave a wrong password for an account, or (undefined) an address without one: one record for each account and
 * hour, which counts them, so that guessing does not fill the log. Both take the same time, so that nobody learns who has an account. 1
 * write unit.
 */
export async function recordFailedSignIn(userId: number | undefined): Promise<void> {
  const at = currentHour();
  await updateItem(
    { pk, sk: `${padded(at)}#failed#${userId ?? 0}` },
    {
      set: { type: "sign_in_failed", at, by: "server", ...(userId && { userId }), expiresAt: expiryOf() },
      add: { failures: 1 },
    },
  );
}

/**
 * The record that counts in each hour how often somebody has signed in or out, for the transaction of what has no record of its own.
 * It names the last program. 2 write units.
 */
export function hourlyRecord(type: "signed_in" | "signed_out", userId: number, client: string | undefined): Write {
  const at = currentHour();
  const by = { by: "user", actingUserId: userId, ...(client !== undefined && { client }) };
  return update(
    { pk, sk: `${padded(at)}#${type}#${userId}` },
    { set: { type, at, userId, ...by, expiresAt: expiryOf() }, add: { times: 1 } },
  );
}

/** The hour's beginning, in UNIX milliseconds. */
const currentHour = () => Math.floor(nowSeconds() / 3600) * 3_600_000;

const expiryOf = () => nowSeconds() + auditLogDays() * secondsPerDay;

/** The parts of two states that differ: what was, and what is. */
export function difference(before: Values, after: Values): { before: Values; after: Values } {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const of = (values: Values) => Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
  return { before: of(before), after: of(after) };
}

/** Records before a position (all, if absent), the newest first. Those that have expired are left out. 1 read unit for each 4 KB. */
export async function listAuditRecords(limit: number, before?: string): Promise<AuditRecord[]> {
  // Sort keys up to a bound include the bound itself, which is the last record of the page before.
  const records = await queryItems<AuditRecord>({ pk, to: before ?? "~", descending: true, limit: limit + 1 });
  return records.filter(({ sk, expiresAt }) => sk !== before && expiresAt > nowSeconds()).slice(0, limit);
}
