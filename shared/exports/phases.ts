import { getFile } from "../blobs/bucket.ts";
import { toChannelWire } from "../channels/wire.ts";
import { emojiFile } from "../emoji/urls.ts";
import { initialState } from "../events/state.ts";
import { toCaller } from "../identity/access.ts";
import type { Caller } from "../identity/caller.ts";
import { featureLevel, zulipVersion } from "../limits.ts";
import { pictureFileKey } from "../pictures/urls.ts";
import { listProfileFields } from "../profile-fields/state.ts";
import { toProfileDataWire } from "../profile-fields/wire.ts";
import { listChannels } from "../store/channels/channels.ts";
import { listSubscriberIds, listSubscriptions } from "../store/channels/subscriptions.ts";
import { listEmoji } from "../store/organization/emoji.ts";
import { findAccount } from "../store/users/accounts.ts";
import { findUser } from "../store/users/users.ts";
import { toUserWire } from "../users/wire.ts";
import type { Context } from "./context.ts";
import { filesPhase, messagesPhase } from "./message-phases.ts";
import { jsonEntry, type Phase } from "./page.ts";

/** The event types whose state in `/register` describes the organization, without secrets and settings of single clients. */
const organizationTypes = new Set([
  "realm",
  "realm_user_groups",
  "realm_emoji",
  "realm_linkifiers",
  "realm_playgrounds",
  "custom_profile_fields",
  "channel_folders",
  "default_streams",
]);
/** The event types whose state describes a single user. */
const personalTypes = new Set([
  "user_settings",
  "alert_words",
  "drafts",
  "saved_snippets",
  "scheduled_messages",
  "reminders",
  "muted_users",
  "user_topic",
  "navigation_views",
  "starred_messages",
]);

const stateFor = ({ realm, dataExport }: Context, caller: Caller, types: ReadonlySet<string>) =>
  initialState({
    caller,
    realm,
    baseUrl: dataExport.baseUrl,
    types,
    newestMessage: Number.MAX_SAFE_INTEGER,
    options: {
      narrow: [],
      allPublicStreams: false,
      applyMarkdown: false,
      clientGravatar: false,
      slimPresence: true,
      includeSubscribers: false,
      capabilities: [
        "include_deactivated_groups",
        "linkifier_url_template",
        "archived_channels",
        "user_settings_object",
      ],
    },
  });

const organizationPhase: Phase = async (_, context) => {
  const { dataExport, administrator } = context;
  const exportInfo = {
    export_id: dataExport.id,
    export_type: dataExport.type,
    export_time: dataExport.requestedAt,
    acting_user_id: dataExport.actingUserId,
    zulip_version: zulipVersion,
    zulip_feature_level: featureLevel,
    last_message_id: context.lastMessageId,
    consenting_user_ids: context.consentingIds,
  };
  const state = await stateFor(context, administrator, organizationTypes);
  const organizationFields = Object.entries(state).filter(([name]) =>
    /^(realm_|custom_profile_fields$|channel_folders$)/.test(name),
  );
  return {
    entries: [
      jsonEntry("export.json", exportInfo),
      jsonEntry("organization.json", Object.fromEntries(organizationFields)),
    ],
  };
};

/** The maximum numbers of users and channels in one file. */
const usersPerFile = 1000;
const channelsPerFile = 100;

const usersPhase: Phase = async (at, { users, administrator }) => {
  const fields = await listProfileFields();
  const chunk = users.slice(at, at + usersPerFile);
  const userObjects = chunk.map((user) => ({
    ...toUserWire(user, false, administrator),
    ...toProfileDataWire(user, fields),
  }));
  return {
    entries: [jsonEntry(`users/users-${at + 1}.json`, { users: userObjects })],
    next: at + usersPerFile < users.length ? at + usersPerFile : undefined,
  };
};

const channelsPhase: Phase = async (at, { scope }) => {
  const channels = await listChannels();
  const chunk = channels.slice(at, at + channelsPerFile);
  await scope.load(chunk.map(({ id }) => id));
  const channelObjects = [];
  for (const channel of chunk.filter(({ id }) => scope.includesChannel(id)))
    channelObjects.push({ ...toChannelWire(channel), subscribers: await listSubscriberIds(channel.id) });
  return {
    entries:
      channelObjects.length > 0 ? [jsonEntry(`channels/channels-${at + 1}.json`, { streams: channelObjects })] : [],
    next: at + channelsPerFile < channels.length ? at + channelsPerFile : undefined,
  };
};

const peoplePhase: Phase = async (at, context) => {
  const id = context.consentingIds.find((userId) => userId > at);
  if (id === undefined) return { entries: [] };
  const user = await findUser(id);
  const account = user && (await findAccount(user.email));
  if (!account) return { entries: [], next: id };
  const [state, subscriptions] = await Promise.all([
    stateFor(context, toCaller(account), personalTypes),
    listSubscriptions(id),
  ]);
  const subscriptionObjects = subscriptions.map(({ channelId, active, color, isMuted, pinToTop }) => ({
    ...{ stream_id: channelId, active, color },
    ...{ is_muted: isMuted, pin_to_top: pinToTop },
  }));
  const privateData = { user_id: id, ...state, subscriptions: subscriptionObjects };
  return { entries: [jsonEntry(`private/user-${id}.json`, privateData)], next: id };
};

/** Avatars; like the pictures below, one at a time, because each may have some MiB. */
const avatarsPhase: Phase = async (at, { users }) => {
  const user = users.find(({ id, avatarFile }) => id > at && avatarFile !== undefined);
  if (!user) return { entries: [] };
  return { entries: await readEntry(`avatars/${user.id}`, pictureFileKey(user.avatarFile ?? "")), next: user.id };
};

const emojiPhase: Phase = async (at) => {
  const emoji = (await listEmoji()).find(({ id }) => id > at);
  if (!emoji) return { entries: [] };
  return { entries: await readEntry(`emoji/${emoji.id}-${emoji.path}`, emojiFile(emoji.path)), next: emoji.id };
};

const iconsPhase: Phase = async (at, { realm }) => {
  const files = { icon: realm.iconFile, logo: realm.logoFile, night_logo: realm.nightLogoFile };
  const [name, file] = Object.entries(files)[at] ?? [];
  const entries = file === undefined ? [] : await readEntry(`organization/${name}`, pictureFileKey(file));
  return { entries, next: at < 2 ? at + 1 : undefined };
};

/** The entry of a file of the bucket; none if the file does not exist. */
async function readEntry(path: string, file: string) {
  const found = await getFile(file);
  return found ? [{ path, content: Buffer.from(found.content) }] : [];
}

/** The phases of an archive in their order; a cursor names one by its index. */
export const phases: readonly Phase[] = [
  organizationPhase,
  usersPhase,
  channelsPhase,
  peoplePhase,
  avatarsPhase,
  emojiPhase,
  iconsPhase,
  messagesPhase,
  filesPhase,
];
