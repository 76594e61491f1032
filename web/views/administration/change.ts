import { tryTo } from "../../actions.ts";
import { unwrap } from "../../api/client.ts";
import { api, realm } from "../../session.ts";

/** The organization's settings, by their names without `realm_`. */

export const settingOf = (name: string): unknown => realm.value?.[`realm_${name}`];

/** Throws if the server refuses a change or cannot be reached. */
export const saveOrganization = (changes: Readonly<Record<string, unknown>>) =>
  unwrap(api().PATCH("/api/v1/realm", { body: Object.fromEntries(Object.entries(changes).map(encoded)) as never }));

/** Shows a notice if it fails; returns whether it succeeded. */
export const changeOrganization = (changes: Readonly<Record<string, unknown>>) =>
  tryTo(() => saveOrganization(changes));

/** Sends texts as JSON, because the server would parse a text in quotation marks as JSON; the name is always plain text. */
const encoded = ([name, value]: [string, unknown]) => [name, name === "name" ? value : JSON.stringify(value)];

/** Settings that only owners can change. */
export const ownerSettings: ReadonlySet<string> = new Set([
  "message_retention_days",
  "invite_required",
  "create_multiuse_invite_group",
  "can_manage_all_groups",
]);
