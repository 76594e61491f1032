import { createHash } from "node:crypto";
import { downloadArchive } from "../../support/files/exports.ts";
import { eventually } from "../../support/waiting.ts";

/** What the archives of two organizations say, in a form in which they can be compared although all IDs differ. */

export type Archive = Awaited<ReturnType<typeof downloadArchive>>;
type Row = Record<string, any>;

/** Calls the API as an administrator: with parameters, a POST. */
type Call = (path: string, params?: Record<string, unknown>) => Promise<any>;

/** Exports with the data of those who consent, and downloads the archive. */
export async function exportFrom(call: Call): Promise<Archive> {
  const { id } = await call("/export/realm", { export_type: 2 });
  const url: string = await eventually(
    async () => (await call("/export/realm")).exports.find((one: any) => one.id === id).export_url ?? undefined,
    60,
  );
  return downloadArchive(url, new URL(url).origin);
}

const again =
  "rendered again, with today's linkifiers and emoji, and with links to those channels that the author can see by now";

/** What an archive's round trip does not keep, or says only by numbers that are new, with the reasons. All else is compared. */
const leftOut: Readonly<Record<string, string>> = {
  id: "IDs are assigned anew; the order of messages is compared",
  ...{ rendered_content: again, prev_rendered_content: again, rendered_description: again, rendered_value: again },
  avatar_version: "counts the changes of a picture, which begin anew",
  usergroup_ptr: "an ID",
  "zerver_huddle.huddle_hash": "a hash of IDs; the participants are compared as recipients",
  "zerver_realmauditlog.event_time": "when a subscription began is not known, so that this is the time of the export",
  "zerver_scheduledmessage.request_timestamp": "the time of the export",
  "zerver_userstatus.timestamp": "the time of the export",
};

const userColumns = new Set([
  ...["acting_user", "author", "bot_owner", "bot_profile", "creator", "modified_user", "muted_user", "owner", "sender"],
  ...["user", "user_id", "user_profile", "user_profile_id"],
]);
const channelColumn = /(^|_)(stream|channel)$/;
const groupColumn = /(^|_)group$/;

/** The rows of each table, sorted, with names instead of IDs, and what the files contain. */
export function contentOf({ tables, files }: Archive): Record<string, string[]> {
  const rows = (table: string): Row[] => tables[table] ?? [];
  const namesIn = (table: string, column: string) => new Map(rows(table).map((row) => [row.id, row[column]]));
  const people = new Map([
    ...namesIn("zerver_userprofile", "delivery_email"),
    ...namesIn("zerver_userprofile_mirrordummy", "delivery_email"),
    ...namesIn("zerver_userprofile_crossrealm", "email"),
  ]);
  const channels = namesIn("zerver_stream", "name");
  const named = namesIn("zerver_namedusergroup", "name");
  const emoji = namesIn("zerver_realmemoji", "name");
  const clients = namesIn("zerver_client", "name");
  const folders = namesIn("zerver_channelfolder", "name");
  const fields = new Map(rows("zerver_customprofilefield").map((row) => [row.id, row]));
  const messageIds = rows("zerver_message").map(({ id }) => id);
  /** Messages keep their order, so each is known by its place. */
  const places = new Map(messageIds.map((id, place) => [id, place]));
  const scheduled = new Map(
    rows("zerver_scheduledmessage").map((row) => [row.id, [row.subject, row.scheduled_timestamp]]),
  );
  const hashes = new Map(
    [...files].map(([path, content]) => [path, createHash("sha256").update(content).digest("hex")]),
  );

  const membersOf = Map.groupBy(rows("zerver_usergroupmembership"), ({ user_group }) => user_group);
  const subgroupsOf = Map.groupBy(rows("zerver_groupgroupmembership"), ({ supergroup }) => supergroup);
  /** A group's name; of one without a name, its members and subgroups. */
  const groupOf = (id: number): unknown =>
    named.get(id) ?? [
      (membersOf.get(id) ?? []).map(({ user_profile }) => people.get(user_profile)).sort(),
      (subgroupsOf.get(id) ?? []).map(({ subgroup }) => named.get(subgroup)).sort(),
    ];
  const subscribersOf = Map.groupBy(rows("zerver_subscription"), ({ recipient }) => recipient);
  const recipients = new Map(
    rows("zerver_recipient").map(({ id, type, type_id }) => [
      id,
      type === 1
        ? people.get(type_id)
        : type === 2
          ? `#${channels.get(type_id)}`
          : (subscribersOf.get(id) ?? []).map(({ user_profile }) => people.get(user_profile)).sort(),
    ]),
  );

  /** A text, with names instead of the IDs in mentions, links and attributes. */
  const textOf = (text: string): string =>
    text
      .replace(/\|(\d+)\*\*/g, (whole, id) => (people.has(Number(id)) ? `|${people.get(Number(id))}**` : whole))
      // A link to a message that was deleted before the export leads to its topic. What has asterisks in its topic is no link.
      .replace(/(#\*\*[^*>]+>[^*]*)@(\d+)\*\*/g, (_, start, id) =>
        places.has(Number(id)) ? `${start}@${places.get(Number(id))}**` : `${start}**`,
      )
      .replace(/\/user_uploads\/(?:thumbnail\/)?(1\/[\w-]+\/[\w-]+\/[^)\s"/]*)/g, (whole, path) => {
        const hash = hashes.get(`uploads/${path}`) ?? hashes.get(`uploads/${decodeURI(path)}`);
        return hash ? `/user_uploads/${hash}` : whole;
      })
      // A link within the organization may begin with a slash or not.
      .replace(/\/?#narrow\//g, "/#narrow/")
      .replace(/(narrow\/(?:channel|stream)\/)(\d+)/g, (_, start, id) => start + channels.get(Number(id)))
      .replace(
        /(narrow\/dm\/)([\d,]+)/g,
        (_, start, ids) => start + ids.split(",").map((id: string) => people.get(Number(id))),
      )
      .replace(/(\/(?:near|with)\/)(\d+)/g, (_, start, id) =>
        places.has(Number(id)) ? start + places.get(Number(id)) : "",
      )
      .replace(/^user(\d+)(?=@skein\.invalid$)/, (_, id) => `user ${people.get(Number(id))}`);

  const convert = (table: string, row: Row, column: string): unknown => {
    const value = row[column];
    const where = `${table}.${column}`;
    if (value === null || value === undefined) return null;
    if (where === "zerver_message.edit_history" || where === "edit_history.edits")
      return JSON.parse(value).map((edit: Row) => rowOf("edit_history", edit));
    if (where === "zerver_customprofilefieldvalue.value" && fields.get(row.field)?.field_type === 6)
      return JSON.parse(value).map((id: number) => people.get(id));
    if (where === "zerver_customprofilefieldvalue.field") return fields.get(value)?.name;
    if (where === "zerver_realmauditlog.event_last_message_id") return messageIds.filter((id) => id <= value).length;
    if (column === "emoji_code" && row.reaction_type === "realm_emoji") return emoji.get(Number(value));
    // The import keeps seconds.
    if (where === "zerver_attachment.create_time") return Math.floor(value);
    if (where === "zerver_recipient.type_id") return recipients.get(row.id);
    if (column === "recipient" || column === "recipient_id") return recipients.get(value);
    if (where === "zerver_channelfolder.order") return rows(table).filter(({ order }) => order < value).length;
    if (column === "folder") return folders.get(value);
    if (column === "message" || column === "first_message_id") return places.get(value);
    if (column === "messages") return value.map((id: number) => places.get(id));
    if (column === "scheduled_messages") return value.map((id: number) => scheduled.get(id));
    if (column === "streams") return value.map((id: number) => channels.get(id));
    if (column === "sending_client" || column === "client") return clients.get(value);
    if (column === "path_id") return hashes.get(`uploads/${value}`);
    if (typeof value === "number" && userColumns.has(column)) return people.get(value);
    if (typeof value === "number" && channelColumn.test(column)) return channels.get(value);
    if (typeof value === "number" && groupColumn.test(column)) return groupOf(value);
    return typeof value === "string" ? textOf(value) : value;
  };
  const rowOf = (table: string, row: Row): Row =>
    Object.fromEntries(
      Object.keys(row)
        .sort()
        .filter((column) => !(column in leftOut || `${table}.${column}` in leftOut))
        .map((column) => [column, convert(table, row, column)]),
    );
  return {
    ...Object.fromEntries(
      Object.keys(tables)
        .filter((table) => !(table in leftOut))
        .map((table) => {
          const converted = rows(table).map((row) => JSON.stringify(rowOf(table, row)));
          return [table, table === "zerver_message" ? converted : converted.sort()];
        }),
    ),
    files: [...hashes]
      .filter(([path]) => !path.endsWith(".json"))
      .map(([path, hash]) => JSON.stringify({ folder: path.split("/")[0], hash }))
      .sort(),
  };
}

/** What differs between two archives: the rows that only one of them has and, of rows that differ in some columns, these. */
export function differencesBetween(first: Archive, second: Archive): string[] {
  const [before, after] = [contentOf(first), contentOf(second)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((table) => {
    const [lost, come] = [only(before[table] ?? [], after[table] ?? []), only(after[table] ?? [], before[table] ?? [])];
    if (lost.length !== come.length)
      return [...lost.map((row) => `${table} lost ${row}`), ...come.map((row) => `${table} has in addition ${row}`)];
    return lost.map((row, index) => `${table}: ${differingColumns(row, come[index] ?? "")}`);
  });
}

/** The rows that are in one list more often than in another. */
function only(rows: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const row of others) counts.set(row, (counts.get(row) ?? 0) + 1);
  return rows.filter((row) => {
    const count = counts.get(row) ?? 0;
    counts.set(row, count - 1);
    return count <= 0;
  });
}

function differingColumns(row: string, other: string): string {
  const [before, after] = [JSON.parse(row), JSON.parse(other)];
  return Object.keys({ ...before, ...after })
    .filter((column) => JSON.stringify(before[column]) !== JSON.stringify(after[column]))
    .map((column) => `${column}: ${JSON.stringify(before[column])} -> ${JSON.stringify(after[column])}`)
    .join(", ");
}
