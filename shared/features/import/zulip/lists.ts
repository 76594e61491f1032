import { ApiError } from "../../../base/errors.ts";
import { limits } from "../../../base/limits.ts";
import { truncate } from "../../../base/schema/text.ts";
import { checkNewGroup, maxGroupDescriptionLength } from "../../../core/default-streams/groups.ts";
import { checkLinkifier } from "../../../core/markdown/linkifiers.ts";
import { checkPlayground } from "../../../core/playgrounds/playgrounds.ts";
import { checkField, checkFieldAgainstOthers, checkFieldData } from "../../../core/profile-fields/rules.ts";
import { fieldTypeNumbers, fieldTypes } from "../../../core/profile-fields/types.ts";
import { checkDomain } from "../../../core/realm-domains/realm-domains.ts";
import type { DefaultStreamGroup, ProfileField } from "../../../store/organization/short-lists.ts";
import type { ProfileValue } from "../../../store/users/users.ts";
import { allowedName, UniqueNames } from "../names.ts";
import { noDetails, type PlannedDetails } from "../plan.ts";
import type { ImportReport } from "../report.ts";
import type { ZulipChannels } from "./channels.ts";
import type { ZulipExport } from "./format.ts";

/** Of linkifiers, of playgrounds and of domains. */
const maxEntries = 200;

/** Adds what the checks of requests accept; the report says what they refuse and why. */
export const attemptWith = (report: ImportReport) => (what: string, example: string, add: () => void) => {
  try {
    add();
    report.comes(what);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    report.lacks(`${what} that are not allowed here`, 1, `${example}: ${error.message}`);
  }
};

export function refuse(problem: string): never {
  throw new ApiError("BAD_REQUEST", problem);
}

/** The organization's short lists, checked as requests are. */
export function listsOf(
  { tables }: ZulipExport,
  report: ImportReport,
): Pick<PlannedDetails, "linkifiers" | "playgrounds" | "realmDomains"> {
  const attempt = attemptWith(report);
  const details = noDetails();
  for (const { pattern, url_template: urlTemplate } of inOrder(tables.zerver_realmfilter))
    attempt("linkifiers", pattern, () => {
      const [problem] = Object.values(checkLinkifier(pattern, urlTemplate) ?? {}).flat();
      if (problem !== undefined) refuse(problem);
      if (details.linkifiers.length >= maxEntries || details.linkifiers.some((one) => one.pattern === pattern))
        refuse("there are too many, or this one twice");
      details.linkifiers.push({ id: details.linkifiers.length + 1, pattern, urlTemplate });
    });
  for (const { name, pygments_language: language, url_template: urlTemplate } of tables.zerver_realmplayground)
    attempt("playgrounds", name, () => {
      const playground = checkPlayground({ name, language, urlTemplate });
      if (details.playgrounds.length >= maxEntries) refuse("there are too many");
      details.playgrounds.push({ id: details.playgrounds.length + 1, ...playground });
    });
  for (const { domain: sent, allow_subdomains: allowSubdomains } of tables.zerver_realmdomain)
    attempt("domains of addresses", sent, () => {
      const domain = checkDomain(sent);
      if (details.realmDomains.length >= maxEntries || details.realmDomains.some((one) => one.domain === domain))
        refuse("there are too many, or this one twice");
      details.realmDomains.push({ id: details.realmDomains.length + 1, domain, allowSubdomains });
    });
  details.realmDomains.sort((a, b) => (a.domain < b.domain ? -1 : 1));
  return details;
}

/** Groups of channels to choose when joining, without channels that people are subscribed to anyway or cannot choose. */
export function defaultStreamGroupsOf(
  { tables }: ZulipExport,
  channels: ZulipChannels,
  report: ImportReport,
): DefaultStreamGroup[] {
  const attempt = attemptWith(report);
  const groups: DefaultStreamGroup[] = [];
  for (const { name, description, streams } of tables.zerver_defaultstreamgroup)
    attempt("groups of default channels", name, () => {
      const channelIds = streams.flatMap((zulipId) => {
        const channel = channels.channels[(channels.idOf(zulipId) ?? 0) - 1]?.channel;
        return channel && !channel.isDefault && !channel.inviteOnly && !channel.isArchived ? [channel.id] : [];
      });
      const text = truncate(description.toWellFormed().trim(), maxGroupDescriptionLength, "…");
      const group = { id: groups.length + 1, name, description: text, channelIds: [...new Set(channelIds)] };
      groups.push(checkNewGroup(group, groups));
    });
  return groups;
}

/** Folders of channels, and their IDs by those in the archive. */
export function foldersOf(
  { tables }: ZulipExport,
  names: { userOf(zulipId: number | undefined): number | undefined },
  now: number,
  report: ImportReport,
) {
  // Archived folders do not reserve their names.
  const active = new UniqueNames();
  const ids = new Map<number, number>();
  const folders = inOrder(tables.zerver_channelfolder).map((row, index) => {
    ids.set(row.id, index + 1);
    const clean = allowedName(row.name) || `folder ${row.id}`;
    const name = (row.is_archived ? new UniqueNames() : active).take(clean, limits.channelFolderNameLength);
    if (name !== row.name.trim()) report.lacks("channel folders under another name", 1, `${row.name} → ${name}`);
    report.comes("channel folders");
    return {
      ...{ id: index + 1, name, renderedDescription: "", order: index, isArchived: row.is_archived },
      description: truncate(row.description.toWellFormed().trim(), limits.channelFolderDescriptionLength, "…"),
      createdAt: row.date_created > 0 ? Math.floor(row.date_created) : now,
      creatorId: names.userOf(row.creator) ?? null,
    };
  });
  return { folders, folderIdOf: (zulipId: number | undefined) => ids.get(zulipId ?? 0) ?? null };
}

interface PersonNames {
  personOf(zulipId: number | undefined): number | undefined;
}

/** The custom profile fields, and the values of people by their IDs. */
export function profileFieldsOf({ tables }: ZulipExport, names: PersonNames, report: ImportReport) {
  const fields: ProfileField[] = [];
  const ids = new Map<number, ProfileField>();
  for (const row of inOrder(tables.zerver_customprofilefield)) {
    try {
      const type = fieldTypeNumbers.find((one) => one === row.field_type);
      if (!type) throw new ApiError("BAD_REQUEST", "its type is not known");
      const field = checkField({
        ...{ type, name: truncate(row.name.toWellFormed(), 40, ""), hint: truncate(row.hint.toWellFormed(), 80, "") },
        ...{ data: checkFieldData(type, parseObject(row.field_data)), required: row.required },
        ...{ inSummary: row.display_in_profile_summary, editableByUser: row.editable_by_user },
      });
      checkFieldAgainstOthers(field, fields);
      fields.push({ id: fields.length + 1, ...field });
      ids.set(row.id, fields.at(-1) as ProfileField);
      report.comes("profile fields");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      report.lacks("profile fields that are not allowed here", 1, `${row.name}: ${error.message}`);
    }
  }
  const values = new Map<number, Record<string, ProfileValue>>();
  for (const { user_profile, field: zulipId, value } of tables.zerver_customprofilefieldvalue) {
    const [userId, field] = [names.personOf(user_profile), ids.get(zulipId)];
    const own = field && profileValueOf(field, value, names);
    if (userId === undefined || !own) continue;
    values.set(userId, { ...values.get(userId), [field.id]: own });
    report.comes("values of profile fields");
  }
  return { fields, values };
}

function profileValueOf({ type }: ProfileField, value: string, names: PersonNames): ProfileValue | undefined {
  if (type !== fieldTypes.users) {
    const text = truncate(value.toWellFormed().replaceAll("\0", ""), type === fieldTypes.url ? 2000 : 500, "");
    return text === "" ? undefined : { value: text };
  }
  const users = parse(value);
  const ids = (Array.isArray(users) ? users : []).flatMap((one) =>
    typeof one === "number" ? (names.personOf(one) ?? []) : [],
  );
  return ids.length === 0 ? undefined : { value: [...new Set(ids)].slice(0, 100) };
}

const inOrder = <T extends { id: number; order: number }>(rows: readonly T[]): T[] =>
  [...new Map(rows.map((row) => [row.id, row])).values()].sort((a, b) => a.order - b.order || a.id - b.id);

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const parseObject = (json: string): Record<string, unknown> => {
  const value = parse(json);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
};
