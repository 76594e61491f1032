import { computed, useComputed } from "@preact/signals";
import { compareTexts, t } from "../../base/languages/language.ts";
import { useChosen } from "../../parts/fields/chosen.ts";
import { ComboboxField } from "../../parts/fields/combobox.tsx";
import { nameOf } from "../../parts/parts.tsx";
import { state } from "../../session/store.ts";
import { toast } from "../../session/toasts.ts";
import type { GroupSetting, Snapshot, UserGroup } from "../../state/model.ts";

const systemGroupLabels = computed(
  (): Readonly<Record<string, string>> => ({
    "role:nobody": t("Nobody"),
    "role:owners": t("Owners"),
    "role:administrators": t("Administrators"),
    "role:moderators": t("Moderators and above"),
    "role:fullmembers": t("Full members"),
    "role:members": t("Members"),
    "role:everyone": t("Everyone, and guests"),
  }),
);

/** The server's rules for which groups a permission may be given to. */
type GroupRule = Snapshot["server_supported_permission_settings"]["realm"]["can_create_groups"];

/** Whether a permission may be given to a group. */
function mayHavePermission(group: UserGroup, rule: GroupRule): boolean {
  if (!group.is_system_group) return !rule.require_system_group && !group.deactivated;
  if (rule.allowed_system_groups.length > 0) return rule.allowed_system_groups.includes(group.name);
  if (group.name === "role:nobody") return rule.allow_nobody_group;
  if (group.name === "role:everyone") return rule.allow_everyone_group;
  return group.name in systemGroupLabels.value;
}

/** System groups come first. */
function rank({ name }: UserGroup): number {
  const order = Object.keys(systemGroupLabels.value);
  return order.includes(name) ? order.indexOf(name) : order.length;
}

const labelOf = (name = "") => systemGroupLabels.value[name] ?? name;

/** The names of the groups and users of a setting. */
const describe = (setting: GroupSetting, groups: ReadonlyMap<number, UserGroup>): string =>
  typeof setting === "number"
    ? labelOf(groups.get(setting)?.name)
    : [...setting.direct_subgroups.map((id) => describe(id, groups)), ...setting.direct_members.map(nameOf)].join(", ");

/** A field to choose the group that has a permission. */
export function GroupChoice({
  label,
  rule,
  value: known,
  locked,
  onChange,
}: {
  label: string;
  rule: GroupRule | undefined;
  value: GroupSetting | undefined;
  locked?: boolean;
  /** Saves the change; resolves with whether the server accepted it. */
  onChange: (change: { new: GroupSetting; old: GroupSetting }) => Promise<boolean>;
}) {
  const groups = useComputed(() => state.value?.groups).value;
  // A change names the value before it, which may be one that no event has confirmed yet.
  const [value, choose] = useChosen(known, async (chosen, before) =>
    chosen !== undefined && before !== undefined ? onChange({ new: chosen, old: before }) : false,
  );
  if (!groups || !rule || value === undefined) return null;
  return (
    <ComboboxField
      label={label}
      note={locked && <span class="quiet small"> {t("(for owners)")}</span>}
      disabled={locked === true}
      text={describe(value, groups)}
      choices={() =>
        [...groups.values()]
          .filter((group) => group.id === value || mayHavePermission(group, rule))
          .sort((a, b) => rank(a) - rank(b) || compareTexts(a.name, b.name))
          .map(({ id, name }) => ({ value: id, name: labelOf(name) }))
      }
      onChoose={choose}
      onUnknown={(name) => toast(t("There is no group “{name}”.", { name }))}
    />
  );
}
