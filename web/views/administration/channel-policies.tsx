import type { Input } from "../../base/api/calls.ts";
import { t } from "../../base/languages/language.ts";
import { useChosen } from "../../parts/fields/chosen.ts";
import { call } from "../../session/session.ts";
import { realm, state } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import type { Channel, ChannelPermission } from "../../state/model.ts";
import { GroupChoice } from "./group-choice.tsx";

/** A channel's permissions and folder. */

const permissionLabels = (): readonly (readonly [name: ChannelPermission, label: string])[] => [
  ["can_send_message_group", t("Who can post")],
  ["can_subscribe_group", t("Who can subscribe")],
  ["can_add_subscribers_group", t("Who can add others")],
  ["can_remove_subscribers_group", t("Who can remove others")],
  ["can_resolve_topics_group", t("Who can resolve topics")],
  ["can_move_messages_within_channel_group", t("Who can move messages to another topic")],
  ["can_move_messages_out_of_channel_group", t("Who can move messages to another channel")],
  ["can_delete_own_message_group", t("Who can delete their own messages")],
  ["can_delete_any_message_group", t("Who can delete any message")],
  ["can_administer_channel_group", t("Who can administer the channel")],
];

const topicsPolicyLabels = (): Readonly<Record<Channel["topics_policy"], string>> => ({
  inherit: t("Organization's default"),
  allow_empty_topic: t("Allowed"),
  disable_empty_topic: t("Not allowed"),
  empty_topic_only: t("Only these are allowed"),
});

export function ChannelPolicies({ channel }: { channel: Channel }) {
  const current = state.value;
  const updateChannel = (change: Omit<Input<"PATCH /streams/{stream_id}">, "stream_id">) =>
    tryTo(() => call("PATCH /streams/{stream_id}", { stream_id: channel.stream_id, ...change }));
  // An absent parameter changes nothing, so "no folder" is sent as JSON null.
  const [folderId, chooseFolder] = useChosen(channel.folder_id, (folder_id) => updateChannel({ folder_id }));
  const [topicsPolicy, choosePolicy] = useChosen(channel.topics_policy, (topics_policy) =>
    updateChannel({ topics_policy }),
  );
  if (!current) return null;
  const rules = realm.value?.server_supported_permission_settings?.stream;
  const folders = [...current.folders.values()]
    .filter(({ is_archived }) => !is_archived)
    .sort((a, b) => a.order - b.order);
  return (
    <section class="form">
      <h2>{t("Folder and permissions")}</h2>
      {folders.length > 0 && (
        <label>
          {t("Folder")}
          <select
            value={JSON.stringify(folderId)}
            onChange={(event) => chooseFolder(JSON.parse(event.currentTarget.value))}
          >
            <option value="null">{t("None")}</option>
            {folders.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        {t("Messages without a topic")}
        <select
          value={topicsPolicy}
          onChange={(event) => choosePolicy(event.currentTarget.value as Channel["topics_policy"])}
        >
          {Object.entries(topicsPolicyLabels()).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <p class="quiet">{t("In addition to those who can do it in all channels:")}</p>
      {permissionLabels().map(([name, label]) => (
        <GroupChoice
          key={name}
          label={label}
          rule={rules?.[name]}
          value={channel.permissions[name]}
          onChange={(update) => updateChannel({ [name]: update })}
        />
      ))}
    </section>
  );
}
