import { useComputed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { compareTexts, t } from "../../base/languages/language.ts";
import { openProfile } from "../../navigation/open-profile.ts";
import { go, goToNarrow, linkTo, linkToNarrow } from "../../navigation/router.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { Content } from "../../parts/content.tsx";
import { PersonCombobox } from "../../parts/fields/combobox.tsx";
import { Choices, FilteredList } from "../../parts/fields/filtered-list.tsx";
import { CheckBox, Form, TextField } from "../../parts/fields/form.tsx";
import { useTyped } from "../../parts/fields/typed.ts";
import { GrowingRows } from "../../parts/growing.tsx";
import { Avatar, Dialog, PrivacyIcon } from "../../parts/parts.tsx";
import { setSubscriptionProperty, subscribeTo } from "../../session/actions/change-own.ts";
import { call } from "../../session/session.ts";
import { currentState, state } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import type { Channel, Subscription } from "../../state/model.ts";
import { ChannelPolicies } from "../administration/channel-policies.tsx";
import { changeChannelMuted, leaveChannel } from "../conversations/undoable.ts";
import { BadLink } from "../messages/bad-link.tsx";
import { ChannelAddress } from "./channel-address.tsx";

/** Lists all channels, and creates new ones. */
export function ChannelBrowser() {
  const [creating, setCreating] = useState(false);
  const current = useComputed(() => state.value).value;
  if (!current) return null;
  const channels = [...current.channels.values()]
    .filter(({ is_archived }) => !is_archived)
    .sort((a, b) => compareTexts(a.name, b.name));
  return (
    <div class="page" id="messages" tabIndex={-1}>
      <h1>{t("Channels")}</h1>
      <FilteredList
        label={t("Channels")}
        items={channels}
        textOf={({ name }) => name}
        filterLabel={t("Filter channels")}
        noMatch={t("No matching channels.")}
        empty={t("There are no channels yet. Create one for each team or subject.")}
        row={(channel) => {
          const isMine = current.subscriptions.has(channel.stream_id);
          return (
            <li key={channel.stream_id}>
              <a class="grow" href={linkTo({ kind: "channel-settings", channelId: channel.stream_id })}>
                <PrivacyIcon channelId={channel.stream_id} /> <strong>{channel.name}</strong>{" "}
                <span class="quiet small">{channel.description}</span>
              </a>
              <span class="quiet small">
                {t("{count, plural, one {# subscriber} other {# subscribers}}", { count: channel.subscriber_count })}
              </span>
              <button
                type="button"
                aria-label={
                  isMine ? t("Leave {name}", { name: channel.name }) : t("Join {name}", { name: channel.name })
                }
                onClick={() => void (isMine ? leaveChannel(channel) : tryTo(() => subscribeTo(channel.name)))}
              >
                {isMine ? t("Leave") : t("Join")}
              </button>
            </li>
          );
        }}
      >
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          {t("Create a channel")}
        </button>
      </FilteredList>
      {creating && <CreateChannel onClose={() => setCreating(false)} />}
    </div>
  );
}

function CreateChannel({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [isPrivate, setPrivate] = useState(false);
  const [people, setPeople] = useState<ReadonlySet<number>>(new Set());
  const users = [...currentState().users.values()]
    .filter((user) => user.is_active && !user.is_system_bot && user.user_id !== currentState().userId)
    .sort((a, b) => compareTexts(a.full_name, b.full_name));
  const create = async () => {
    const { id } = await call("POST /channels/create", {
      name: name.trim(),
      description: description.trim(),
      invite_only: isPrivate,
      subscribers: [currentState().userId, ...people],
    });
    onClose();
    goToNarrow({ kind: "channel", channelId: id });
  };
  return (
    <Dialog title={t("Create a channel")} onClose={onClose}>
      <Form submit={t("Create")} disabled={name.trim() === ""} save={create} onCancel={onClose}>
        <TextField
          label={t("Name")}
          required
          max={Number(currentState().realm.max_stream_name_length ?? 60)}
          value={name}
          onChange={setName}
        />
        <TextField
          label={t("Description")}
          max={Number(currentState().realm.max_stream_description_length ?? 1024)}
          value={description}
          onChange={setDescription}
        />
        <CheckBox label={t("Private: only its subscribers can see it")} checked={isPrivate} onChange={setPrivate} />
        <fieldset>
          <legend>{t("Subscribe others")}</legend>
          <Choices
            items={users}
            idOf={({ user_id }) => user_id}
            nameOf={({ full_name }) => full_name}
            chosen={people}
            onChange={setPeople}
            filterLabel={t("Filter people")}
          />
        </fieldset>
      </Form>
    </Dialog>
  );
}

/** A subscription's notification settings: property, label, and the user's setting that applies if it is not set. */
const notificationSettings = () =>
  [
    ["desktop_notifications", t("Desktop notifications"), "enable_stream_desktop_notifications"],
    ["audible_notifications", t("Sound"), "enable_stream_audible_notifications"],
    ["push_notifications", t("On your phone"), "enable_stream_push_notifications"],
    ["email_notifications", t("By email"), "enable_stream_email_notifications"],
    ["wildcard_mentions_notify", t("Mentions of everyone"), "wildcard_mentions_notify"],
  ] as const;

const archive = ({ stream_id, name }: Channel) =>
  confirmAndTry(
    {
      title: t("Archive {name}?", { name }),
      text: t(
        "It disappears from everyone's channel list, and nobody can post to it any more. Those who could read its messages still can.",
      ),
      label: t("Archive"),
    },
    async () => {
      await call("DELETE /streams/{stream_id}", { stream_id });
      go({ kind: "channels" });
    },
  );

const changePrivacy = ({ stream_id, name }: Channel, isPrivate: boolean) =>
  confirmAndTry(
    isPrivate
      ? {
          title: t("Make {name} private?", { name }),
          text: t("Only subscribers will see it; others can't join on their own."),
          label: t("Make it private"),
        }
      : {
          title: t("Make {name} public?", { name }),
          text: t(
            "Everyone except guests will be able to read all of its messages, including those written while it was private.",
          ),
          label: t("Make it public"),
        },
    () => call("PATCH /streams/{stream_id}", { stream_id, is_private: isPrivate }),
  );

/** A channel's page: the user's own settings of it, its properties, and its subscribers. */
export function ChannelSettings({ channelId }: { channelId: number }) {
  const [members, setMembers] = useState<readonly number[]>();
  const current = useComputed(() => state.value).value;
  const channel = current?.channels.get(channelId);
  const subscription = current?.subscriptions.get(channelId);
  useEffect(() => {
    setMembers(undefined);
    if (!channel) return;
    call("GET /streams/{stream_id}/members", { stream_id: channelId })
      .then(({ subscribers }) => setMembers(subscribers))
      .catch(() => setMembers([]));
  }, [channelId, channel?.subscriber_count]);
  if (!current) return null;
  if (!channel)
    return <BadLink problem={t("The link names a channel that does not exist, or that you may not see.")} />;
  const setProperty = (property: keyof Subscription, value: boolean | string) =>
    tryTo(() => setSubscriptionProperty(channelId, property, value));
  return (
    <div class="page" id="messages" tabIndex={-1}>
      <h1>
        <PrivacyIcon channelId={channelId} /> {channel.name}
      </h1>
      <Content html={channel.rendered_description} />
      <p>
        <a class="button" href={linkToNarrow({ kind: "channel", channelId })}>
          {t("Read messages")}
        </a>{" "}
        <button
          type="button"
          onClick={() => void (subscription ? leaveChannel(channel) : tryTo(() => subscribeTo(channel.name)))}
        >
          {subscription ? t("Leave") : t("Join")}
        </button>
      </p>
      {subscription && (
        <section class="form">
          <h2>{t("Your settings")}</h2>
          <label>
            {t("Colour")}
            <input
              type="color"
              value={subscription.color}
              onChange={(event) => void setProperty("color", event.currentTarget.value)}
            />
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={subscription.pin_to_top}
              onChange={(event) => void setProperty("pin_to_top", event.currentTarget.checked)}
            />
            {t("Pinned to the top")}
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={subscription.is_muted}
              onChange={(event) => void changeChannelMuted(channel, event.currentTarget.checked)}
            />
            {t("Muted")}
          </label>
          {notificationSettings().map(([property, label, userSetting]) => (
            <label class="check" key={property}>
              <input
                type="checkbox"
                checked={subscription[property] ?? Boolean(current.settings[userSetting])}
                onChange={(event) => void setProperty(property, event.currentTarget.checked)}
              />
              {label}
            </label>
          ))}
        </section>
      )}
      {subscription && <ChannelAddress channelId={channelId} />}
      <ChannelDetails channel={channel} />
      <ChannelPolicies channel={channel} />
      <section>
        <h2>{t("Subscribers")}</h2>
        {members === undefined && <p class="quiet">{t("Loading …")}</p>}
        <ul class="people-list">
          <GrowingRows
            of={members ?? []}
            row={(id) => (
              <li key={id}>
                <button type="button" class="plain" onClick={() => openProfile(id)}>
                  <Avatar user={current.users.get(id)} size={28} />{" "}
                  {current.users.get(id)?.full_name ?? t("Unknown user")}
                </button>
              </li>
            )}
          />
        </ul>
        <AddPeople channel={channel} members={members ?? []} />
      </section>
      <section>
        <button type="button" class="danger" onClick={() => void archive(channel)}>
          {t("Archive this channel")}
        </button>
      </section>
    </div>
  );
}

function ChannelDetails({ channel }: { channel: Channel }) {
  const { texts, type, changed, saving } = useTyped({ new_name: channel.name, description: channel.description });
  return (
    <Form
      heading={t("Settings for everyone")}
      submit={t("Save")}
      disabled={Object.keys(changed).length === 0}
      save={() => saving(() => call("PATCH /streams/{stream_id}", { stream_id: channel.stream_id, ...changed }))}
    >
      <TextField
        label={t("Name")}
        required
        max={60}
        value={texts.new_name}
        onChange={(text) => type("new_name", text)}
      />
      <TextField
        label={t("Description")}
        rows={2}
        max={1024}
        value={texts.description}
        onChange={(text) => type("description", text)}
      />
      <CheckBox
        label={t("Private")}
        checked={channel.invite_only}
        onChange={(isPrivate) => void changePrivacy(channel, isPrivate)}
      />
    </Form>
  );
}

const AddPeople = ({ channel, members }: { channel: Channel; members: readonly number[] }) => (
  <PersonCombobox
    label={t("Add someone")}
    includes={({ user_id, is_system_bot }) => !is_system_bot && !members.includes(user_id)}
    onChoose={(id) =>
      void tryTo(() =>
        call("POST /users/me/subscriptions", { subscriptions: [{ name: channel.name }], principals: [id] }),
      )
    }
  />
);
