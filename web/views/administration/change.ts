import { call, realm } from "../../session.ts";
import { tryTo } from "../../toasts.ts";

/** Reading and saving the organization's settings. */

/** A setting's value, by its name without `realm_`. */
export const settingOf = (name: string): unknown => realm.value?.[`realm_${name}`];

/** Saves changed settings; throws if the server refuses them or cannot be reached. */
export const saveOrganization = (changes: Readonly<Record<string, unknown>>) =>
  call("PATCH /realm", Object.fromEntries(Object.entries(changes).map(encodeSetting)));

/** Saves changed settings; shows a notice if it fails, and returns whether it succeeded. */
export const changeOrganization = (changes: Readonly<Record<string, unknown>>) =>
  tryTo(() => saveOrganization(changes));

/** Encodes values as JSON, because the server would parse a text in quotation marks as JSON. It never parses `name`. */
const encodeSetting = ([name, value]: [string, unknown]) => [name, name === "name" ? value : JSON.stringify(value)];

/** Settings that only owners can change. */
export const ownerSettings: ReadonlySet<string> = new Set([
  "message_retention_days",
  "invite_required",
  "create_multiuse_invite_group",
  "can_manage_all_groups",
]);
