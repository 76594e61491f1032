import {
  channelSettingNames,
  effectiveSettings,
  permissionSettings,
  type RealmSettings,
} from "../../base/schema/organization-settings.ts";
import { eventForEveryone, type LoggedEvent } from "../../store/log/entry.ts";
import { type Change, type ChangePart, noChange } from "../../store/log/log.ts";
import { auditRecord, difference } from "../../store/organization/audit-log.ts";
import { checkGroupActive } from "../../store/organization/groups.ts";
import { type Organization, updateOrganization } from "../../store/organization/organization.ts";
import type { Write } from "../../store/table/writes.ts";
import { referencedGroups } from "../user-groups/settings.ts";
import type { RealmChange } from "./event-types.ts";

interface OrganizationChange {
  name?: string | undefined;
  settings: Partial<RealmSettings>;
}

/**
 * Changes the organization. Conflicts if its settings have changed since it was read, or a group that is given a permission is no
 * longer active.
 */
export function changeOrganization(organization: Organization, { name, settings }: OrganizationChange): Change {
  const groups = referencedGroups(
    Object.entries(settings).flatMap(([key, value]) => (key in permissionSettings ? [value as number] : [])),
  );
  const data = { ...(name !== undefined && { name }), ...settings, ...derivedFields(settings) };
  return {
    writes: [...writeSettings(organization, { name, settings }), ...groups.map(checkGroupActive)],
    events: [settingsEvent(data, organization)],
  };
}

const writeSettings = (
  { settings: before, settingsVersion: version, name: formerName }: Organization,
  { name, settings }: OrganizationChange,
): Write[] => [
  updateOrganization(
    { set: { settings: { ...before, ...settings }, settingsVersion: (version ?? 0) + 1, name } },
    { equals: { settingsVersion: version } },
  ),
  auditRecord(
    "organization_changed",
    difference(
      { ...effectiveSettings(before), name: formerName },
      { ...settings, ...(name !== undefined && { name }) },
    ),
  ),
];

const settingsEvent = (data: RealmChange, { settings }: Pick<Organization, "settings">): LoggedEvent =>
  eventForEveryone({
    type: "realm",
    op: "update_dict",
    property: "default",
    data,
    ...(data.waiting_period_threshold !== undefined && {
      former_waiting_period: effectiveSettings(settings).waiting_period_threshold,
    }),
  });

/** The writes and events that unset settings which refer to an archived channel; none if no setting does. */
export const settingsWithoutChannel = (organization: Organization, channelId: number): ChangePart =>
  changedSettings(
    organization,
    Object.fromEntries(
      channelSettingNames.filter((name) => organization.settings[name] === channelId).map((name) => [name, -1]),
    ),
  );

/** The writes and events that end the restriction of addresses to domains; none if there is no restriction. */
export const settingsWithoutDomains = (organization: Organization): ChangePart =>
  changedSettings(
    organization,
    organization.settings.emails_restricted_to_domains ? { emails_restricted_to_domains: false } : {},
  );

const changedSettings = (organization: Organization, settings: Partial<RealmSettings>): ChangePart =>
  Object.keys(settings).length === 0
    ? noChange
    : { writes: writeSettings(organization, { settings }), events: [settingsEvent(settings, organization)] };

/** Legacy fields that are derived from the changed settings. */
const derivedFields = (settings: Partial<RealmSettings>) => ({
  ...(settings.topics_policy !== undefined && { mandatory_topics: settings.topics_policy === "disable_empty_topic" }),
  ...(settings.message_edit_history_visibility_policy !== undefined && {
    allow_edit_history: settings.message_edit_history_visibility_policy !== "none",
  }),
  ...(settings.password_auth_enabled !== undefined && { email_auth_enabled: settings.password_auth_enabled }),
});
