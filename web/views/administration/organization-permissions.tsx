import { t } from "../../base/languages/language.ts";
import { realm, state } from "../../session/store.ts";
import type { Realm } from "../../state/model.ts";
import { isOwner } from "../../state/permissions.ts";
import { groupSettingOf } from "../../state/records.ts";
import { changeOrganization, ownerSettings, type SettingName, settingOf } from "./change.ts";
import { GroupChoice } from "./group-choice.tsx";

/** Who may do what in the organization. */

type PermissionName = Extract<SettingName, keyof NonNullable<Realm["server_supported_permission_settings"]>["realm"]>;
type Labels = readonly (readonly [name: PermissionName, label: string])[];

/** The permission settings with their labels, by the section in which they are shown. */
const permissionSections = (): readonly { heading: string; settings: Labels }[] => [
  {
    heading: t("People"),
    settings: [
      ["can_invite_users_group", t("Who can invite people by email")],
      ["create_multiuse_invite_group", t("Who can create invitation links")],
      ["can_create_users_group", t("Which administrators can create accounts")],
      ["can_access_all_users_group", t("Who can see everyone")],
    ],
  },
  {
    heading: t("Channels"),
    settings: [
      ["can_create_public_channel_group", t("Who can create public channels")],
      ["can_create_private_channel_group", t("Who can create private channels")],
      ["can_create_web_public_channel_group", t("Who can create web-public channels")],
      ["can_add_subscribers_group", t("Who can add others to channels")],
      ["can_set_topics_policy_group", t("Who can set whether a channel's messages need a topic")],
      ["can_set_delete_message_policy_group", t("Who can set a channel's deletion permissions")],
    ],
  },
  {
    heading: t("Messages"),
    settings: [
      ["can_move_messages_between_topics_group", t("Who can move messages to another topic")],
      ["can_move_messages_between_channels_group", t("Who can move messages to another channel")],
      ["can_resolve_topics_group", t("Who can resolve topics")],
      ["can_delete_own_message_group", t("Who can delete their own messages")],
      ["can_delete_any_message_group", t("Who can delete any message")],
      ["can_mention_many_users_group", t("Who can mention everyone in a large channel")],
    ],
  },
  {
    heading: t("Direct messages"),
    settings: [
      ["direct_message_initiator_group", t("Who can start direct conversations")],
      ["direct_message_permission_group", t("At least one participant must be")],
    ],
  },
  {
    heading: t("Groups, bots and emoji"),
    settings: [
      ["can_create_groups", t("Who can create user groups")],
      ["can_manage_all_groups", t("Who can manage all user groups")],
      ["can_create_bots_group", t("Who can create bots of any kind")],
      ["can_create_write_only_bots_group", t("Who can create bots that can only send messages")],
      ["can_connect_agents_group", t("Who can connect assistants")],
      ["can_add_custom_emoji_group", t("Who can add emoji")],
    ],
  },
];

export function Permissions() {
  return (
    <>
      {permissionSections().map(({ heading, settings }) => (
        <section class="form" key={heading}>
          <h2>{heading}</h2>
          {settings.map(([name, label]) => (
            <Permission key={name} name={name} label={label} />
          ))}
        </section>
      ))}
    </>
  );
}

function Permission({ name, label }: { name: PermissionName; label: string }) {
  return (
    <GroupChoice
      label={label}
      rule={realm.value?.server_supported_permission_settings?.realm[name]}
      value={groupSettingOf(settingOf(name))}
      locked={ownerSettings.has(name) && !(state.value && isOwner(state.value))}
      onChange={(change) => changeOrganization(name, change)}
    />
  );
}
