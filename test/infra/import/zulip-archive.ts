/**
 * Archives by hand, from the tables that Zulip's `zerver/lib/export.py` writes
 * (https://github.com/zulip/zulip/blob/main/zerver/lib/export.py), and its models.
 */

export const status = (zulip_version = "11.2") => ({ migrations_by_app: { zerver: [] }, zulip_version });

const day = (number: number, minute = 0) => Date.UTC(2024, 0, number, 12, minute) / 1000;
export const sentAt = (minute: number) => day(1, minute) + 0.25;

interface Row {
  [column: string]: unknown;
}

export const user = (id: number, full_name: string, more: Row = {}) => ({
  ...{ id, full_name, delivery_email: `${full_name.split(" ")[0]?.toLowerCase()}@milan.example` },
  ...{ email: `user${id}@milan.zulip.example`, role: 400, is_active: true, is_bot: false, is_mirror_dummy: false },
  ...{ bot_type: null, bot_owner: null, date_joined: day(1), timezone: "", avatar_source: "G", avatar_version: 1 },
  ...more,
});

/** IDs of users, channels, groups and recipients do not overlap, so that no mistake is a coincidence. */
export const ids = {
  ...{ prospero: 101, miranda: 103, caliban: 107, antonio: 109, ariel: 113, trinculo: 127, notificationBot: 5 },
  ...{ island: 31, plot: 37, cave: 41 },
  ...{ toIsland: 1001, toPlot: 1002, toCave: 1003, toMiranda: 1103, toProspero: 1101, toGroup: 1200 },
};

const channel = (id: number, name: string, more: Row = {}) => ({
  ...{ id, name, description: "", date_created: day(1), creator: ids.prospero, invite_only: false },
  ...{ is_web_public: false, history_public_to_subscribers: true, deactivated: false, message_retention_days: null },
  ...{ folder: null, topics_policy: 1, ...more },
});

const subscription = (user_profile: number, recipient: number, more: Row = {}) => ({
  ...{ user_profile, recipient, active: true, is_user_active: true, color: "#76ce90", is_muted: false },
  ...{ pin_to_top: false, desktop_notifications: null, audible_notifications: null, push_notifications: null },
  ...{ email_notifications: null, wildcard_mentions_notify: null, ...more },
});

export const message = (id: number, sender: number, recipient: number, content: string, more: Row = {}) => ({
  ...{ id, sender, recipient, realm: 2, subject: "storms", content, rendered_content: `<p>${content}</p>` },
  ...{ rendered_content_version: 1, date_sent: sentAt(id % 60), sending_client: 1, last_edit_time: null },
  ...{ edit_history: null, has_attachment: false, has_image: false, has_link: false, ...more },
});

/** What a recipient has of a message; 1 is read. */
export const received = (user_profile: number, messageId: number, flags_mask: number) => ({
  ...{ id: messageId * 1000 + user_profile, user_profile, message: messageId, flags_mask },
});

const systemGroups = [
  "nobody",
  "owners",
  "administrators",
  "moderators",
  "fullmembers",
  "members",
  "everyone",
  "internet",
];
/** Of Zulip's system groups, by name. */
export const systemGroup = (name: string) => 501 + systemGroups.indexOf(name);

export const group = (id: number, name: string, more: Row = {}) => ({
  ...{ id, usergroup_ptr: id, name, description: "", is_system_group: name.startsWith("role:"), deactivated: false },
  ...{ creator: null, date_created: day(1), can_mention_group: systemGroup("everyone") },
  ...more,
});

/** Everything that an export may have, in a few rows. */
export const realm = (more: Record<string, unknown[]> = {}) => ({
  zerver_realm: [
    {
      ...{ id: 2, name: "Milan", string_id: "milan", date_created: day(1), description: "A duchy" },
      ...{ icon_source: "U", new_stream_announcements_stream: ids.island, message_content_edit_limit_seconds: null },
      ...{ can_invite_users_group: systemGroup("moderators"), topics_policy: 3 },
    },
  ],
  zerver_userprofile: [
    user(ids.prospero, "Prospero", { role: 100 }),
    user(ids.miranda, "Miranda", { avatar_source: "U", color_scheme: 2, email_address_visibility: 3 }),
    user(ids.caliban, "Caliban", { role: 600 }),
    user(ids.antonio, "Antonio", { is_active: false }),
    user(ids.ariel, "Ariel", {
      ...{ is_bot: true, bot_type: 1, bot_owner: ids.prospero, email: "ariel-bot@milan.zulip.example" },
      delivery_email: "ariel-bot@milan.zulip.example",
    }),
    user(ids.trinculo, "Trinculo", {
      ...{ is_bot: true, bot_type: 3, bot_owner: ids.miranda, default_sending_stream: ids.island },
      delivery_email: "trinculo-bot@milan.zulip.example",
    }),
  ],
  zerver_userprofile_mirrordummy: [],
  zerver_userprofile_crossrealm: [{ id: ids.notificationBot, email: "notification-bot@zulip.com", recipient_id: 1900 }],
  zerver_stream: [
    channel(ids.island, "island", { description: "About the *sea*", folder: 71 }),
    channel(ids.plot, "plot", { invite_only: true, history_public_to_subscribers: false }),
    channel(ids.cave, "!DEACTIVATED:cave", { deactivated: true }),
  ],
  zerver_defaultstream: [{ id: 1, realm: 2, stream: ids.island }],
  zerver_recipient: [
    { id: ids.toIsland, type: 2, type_id: ids.island },
    { id: ids.toPlot, type: 2, type_id: ids.plot },
    { id: ids.toCave, type: 2, type_id: ids.cave },
    { id: ids.toMiranda, type: 1, type_id: ids.miranda },
    { id: ids.toProspero, type: 1, type_id: ids.prospero },
    { id: ids.toGroup, type: 3, type_id: 77 },
  ],
  zerver_subscription: [
    subscription(ids.prospero, ids.toIsland, { pin_to_top: true }),
    subscription(ids.miranda, ids.toIsland, { is_muted: true }),
    subscription(ids.caliban, ids.toIsland),
    subscription(ids.antonio, ids.toIsland, { is_user_active: false }),
    subscription(ids.prospero, ids.toPlot),
    subscription(ids.miranda, ids.toPlot),
    subscription(ids.prospero, ids.toGroup),
    subscription(ids.miranda, ids.toGroup),
    subscription(ids.caliban, ids.toGroup),
  ],
  zerver_realmauditlog: [
    { id: 1, event_type: 301, modified_user: ids.prospero, modified_stream: ids.plot, event_last_message_id: 700 },
    { id: 2, event_type: 301, modified_user: ids.miranda, modified_stream: ids.plot, event_last_message_id: 711 },
    { id: 3, event_type: 101, modified_user: ids.miranda, modified_stream: null, event_last_message_id: null },
  ],
  zerver_usergroup: [
    ...systemGroups.map((name) => ({ id: systemGroup(name), realm: 2 })),
    ...[601, 603, 607].map((id) => ({ id, realm: 2 })),
  ],
  zerver_namedusergroup: [
    ...systemGroups.map((name) => group(systemGroup(name), `role:${name}`)),
    group(601, "spirits", { can_manage_group: 607, creator: ids.prospero }),
    group(603, "islanders"),
  ],
  zerver_usergroupmembership: [
    { id: 1, user_group: 601, user_profile: ids.miranda },
    { id: 2, user_group: 603, user_profile: ids.caliban },
    { id: 3, user_group: 607, user_profile: ids.miranda },
  ],
  zerver_groupgroupmembership: [
    { id: 1, supergroup: 603, subgroup: 601 },
    { id: 2, supergroup: 607, subgroup: systemGroup("owners") },
  ],
  zerver_client: [{ id: 1, name: "ZulipMobile" }],
  zerver_realmemoji: [
    { id: 21, name: "storm", file_name: "21.png", author: ids.miranda, deactivated: false, realm: 2 },
  ],
  zerver_reaction: [
    reaction(1, 701, ids.prospero, "+1", "1f44d"),
    reaction(2, 701, ids.caliban, "+1", "1f44d"),
    reaction(3, 701, ids.prospero, "storm", "21", "realm_emoji"),
    reaction(4, 701, 999, "+1", "1f44d"),
  ],
  zerver_channelfolder: [
    { id: 71, name: "Places", description: "Where *we* are", order: 0, creator: ids.prospero, date_created: day(1) },
  ],
  zerver_realmfilter: [{ id: 1, pattern: "#(?P<id>[0-9]+)", url_template: "https://bugs.example/{id}", order: 0 }],
  zerver_realmplayground: [
    { id: 1, name: "Spells", pygments_language: "Python", url_template: "https://spells.example/{code}" },
  ],
  zerver_realmdomain: [{ id: 1, domain: "milan.example", allow_subdomains: true }],
  zerver_realmuserdefault: [{ id: 1, color_scheme: 3 }],
  zerver_customprofilefield: [
    profileField(81, "Craft", 1),
    profileField(83, "Mood", 3, JSON.stringify({ calm: { text: "Calm", order: "1" } })),
    profileField(87, "Father", 6),
  ],
  zerver_customprofilefieldvalue: [
    { id: 1, user_profile: ids.miranda, field: 81, value: "**wonder**" },
    { id: 2, user_profile: ids.miranda, field: 87, value: `[${ids.prospero}]` },
  ],
  zerver_usertopic: [
    {
      ...{ id: 1, user_profile: ids.miranda, stream: ids.island, topic_name: "storms" },
      ...{ visibility_policy: 3, last_updated: day(2) },
    },
  ],
  zerver_muteduser: [{ id: 1, user_profile: ids.miranda, muted_user: ids.caliban, date_muted: day(2) }],
  zerver_alertword: [{ id: 1, user_profile: ids.miranda, word: "Naples" }],
  zerver_userstatus: [
    {
      ...{ id: 1, user_profile: ids.miranda, status_text: "asleep", emoji_name: "storm", emoji_code: "21" },
      reaction_type: "realm_emoji",
    },
  ],
  zerver_savedsnippet: [
    {
      id: 1,
      user_profile: ids.miranda,
      title: "Greeting",
      content: "Well met, @**Prospero|101**",
      date_created: day(2),
    },
  ],
  zerver_navigationview: [
    { id: 1, user: ids.miranda, fragment: "narrow/channel/31-island", is_pinned: true, name: "The island" },
  ],
  zerver_onboardingstep: [{ id: 1, user: ids.miranda, onboarding_step: "intro_inbox_view_modal", timestamp: day(2) }],
  zerver_defaultstreamgroup: [{ id: 1, name: "shores", description: "", streams: [ids.island, ids.plot, ids.cave] }],
  zerver_botconfigdata: [{ id: 1, bot_profile: ids.trinculo, key: "wine", value: "sack" }],
  zerver_scheduledmessage: [
    scheduledMessage(5, ids.toMiranda, {
      ...{ scheduled_timestamp: Date.UTC(2100, 0) / 1000, delivery_type: 2, reminder_target_message_id: 701 },
      content: "You requested a reminder for #**island>storms@701**.",
    }),
    scheduledMessage(1, ids.toIsland, { scheduled_timestamp: Date.UTC(2100, 0) / 1000, subject: "later" }),
    scheduledMessage(2, ids.toProspero, { scheduled_timestamp: day(3) }),
    scheduledMessage(3, ids.toProspero, { scheduled_timestamp: day(3), delivered: true }),
  ],
  zerver_draft: [
    {
      ...{ id: 1, user_profile: ids.miranda, recipient: ids.toIsland, topic: "storms", content: "I might" },
      last_edit_time: day(2),
    },
  ],
  zerver_service: [
    {
      id: 1,
      user_profile: ids.trinculo,
      name: "jester",
      base_url: "https://jester.example/",
      token: "t0",
      interface: 1,
    },
  ],
  zerver_botstoragedata: [{ id: 1, bot_profile: ids.trinculo, key: "joke", value: "42" }],
  ...more,
});

const profileField = (id: number, name: string, field_type: number, field_data = "") => ({
  ...{ id, realm: 2, name, hint: "", order: id, field_type, field_data, required: false, editable_by_user: true },
  display_in_profile_summary: false,
});

export const scheduledMessage = (id: number, recipient: number, more: Row) => ({
  ...{ id, sender: ids.miranda, recipient, subject: "", content: "I *will* come", sending_client: 1, delivery_type: 1 },
  ...{ read_by_sender: true, delivered: false, failed: false, ...more },
});

export const reaction = (
  id: number,
  on: number,
  by: number,
  emoji_name: string,
  emoji_code: string,
  reaction_type = "unicode_emoji",
) => ({
  ...{ id, message: on, user_profile: by, emoji_name, emoji_code, reaction_type },
});

const pathId = "2/ab/oOjz3Xt0cQ/ship.txt";

/** A whole export, whose pictures are all the same. */
export const theTempest = (picture: Uint8Array, more: Record<string, unknown[]> = {}) => ({
  "migration_status.json": status(),
  "realm.json": realm(more),
  "messages-000001.json": {
    zerver_message: [
      message(701, ids.miranda, ids.toIsland, "Hello **everybody** :storm:"),
      message(703, ids.prospero, ids.toIsland, `See [the ship](/user_uploads/${pathId}), @**Miranda the Old|103**`, {
        has_attachment: true,
      }),
      message(705, ids.ariel, ids.toPlot, "All hail, great master"),
    ],
    zerver_usermessage: [
      received(ids.prospero, 701, 1),
      received(ids.miranda, 701, 1 + 2),
      received(ids.caliban, 701, 0),
      received(ids.prospero, 703, 1),
      received(ids.miranda, 703, 8),
      received(ids.caliban, 703, 0),
      received(ids.prospero, 705, 1),
    ],
  },
  "messages-000002.json": {
    zerver_message: [
      message(
        711,
        ids.miranda,
        ids.toIsland,
        "As @_**Prospero|101** [said](https://milan.zulip.example/#narrow/channel/31-island/topic/storms/near/703):",
        {
          subject: "✔ storms",
          last_edit_time: sentAt(20),
          edit_history: JSON.stringify([
            { user_id: ids.prospero, timestamp: sentAt(21), prev_topic: "storms", topic: "✔ storms" },
            {
              user_id: ids.miranda,
              timestamp: sentAt(20),
              prev_content: "As **he** said",
              prev_rendered_content: "",
              prev_rendered_content_version: 1,
            },
          ]),
        },
      ),
      message(713, ids.prospero, ids.toMiranda, "The hour's now come", { subject: "" }),
      message(717, ids.caliban, ids.toGroup, "Be not afeard", { subject: "" }),
      message(719, ids.notificationBot, ids.toIsland, `@_**Prospero|101** moved this; also /user_uploads/${pathId}.`),
      message(723, ids.miranda, ids.toPlot, "/poll Whither?\nMilan\nNaples"),
    ],
    zerver_usermessage: [
      received(ids.caliban, 711, 0),
      received(ids.miranda, 713, 0),
      received(ids.prospero, 713, 1),
      ...[ids.prospero, ids.miranda, ids.caliban].map((one) => received(one, 717, 1)),
    ],
  },
  "attachment.json": {
    zerver_attachment: [
      {
        ...{ id: 51, file_name: "ship.txt", path_id: pathId, owner: ids.prospero, size: 4, create_time: sentAt(0) },
        ...{
          realm: 2,
          is_realm_public: true,
          messages: [703, 719],
          scheduled_messages: [],
          content_type: "text/plain",
        },
      },
    ],
  },
  "uploads/records.json": [{ path: pathId, s3_path: pathId, user_profile_id: ids.prospero, realm_id: 2, size: 4 }],
  [`uploads/${pathId}`]: "ship",
  "emoji/records.json": ["2/emoji/images/21.png.original", "2/emoji/images/21.png"].map((path) => ({
    ...{ path, s3_path: path, file_name: "21.png", name: "storm" },
  })),
  "emoji/2/emoji/images/21.png": picture,
  "emoji/2/emoji/images/21.png.original": picture,
  "avatars/records.json": [
    { path: "2/hash.png", s3_path: "2/hash.png", user_profile_id: ids.miranda, realm_id: 2, avatar_version: 1 },
    {
      path: "2/hash.original",
      s3_path: "2/hash.original",
      user_profile_id: ids.miranda,
      realm_id: 2,
      avatar_version: 1,
    },
  ],
  "avatars/2/hash.original": picture,
  "realm_icons/records.json": ["2/icon.original", "2/icon.png"].map((path) => ({ path, s3_path: path, realm_id: 2 })),
  "realm_icons/2/icon.original": picture,
});
