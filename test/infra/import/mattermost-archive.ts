/**
 * Archives by hand, from Mattermost's public description of its bulk data
 * (https://docs.mattermost.com/administration-guide/onboard/bulk-loading-data.html) and what its server writes.
 */

/** The time of a message on a day of January 2024, a few minutes after noon; the day begins at noon. */
export const at = (day: number, minute: number) => Date.UTC(2024, 0, day, 12, minute);

export const version = {
  ...{ type: "version", version: 1 },
  info: {
    generator: "mattermost-server",
    version: "10.11.2 (abc, enterprise: false)",
    created: "2025-06-01T00:00:00Z",
  },
};
export const team = (name: string, display_name: string) => ({
  type: "team",
  team: { name, display_name, type: "I", description: `The people of ${display_name}`, allow_open_invite: false },
});
export const channel = (inTeam: string, name: string, display_name: string, more: object = {}) => ({
  type: "channel",
  channel: { team: inTeam, name, display_name, type: "O", header: "", purpose: "", ...more },
});
/** A person, with their teams: for each, the names of channels, those with a `!` before as an administrator. */
export const user = (username: string, first_name: string, teams: Record<string, string[]>, more: object = {}) => ({
  type: "user",
  user: {
    ...{ username, email: `${username}@milan.example`, auth_service: null, nickname: "", first_name, last_name: "" },
    ...{ position: "", roles: "system_user", locale: "en", delete_at: 0 },
    teams: Object.entries(teams).map(([name, channels]) => ({
      ...{ name: name.replace("!", ""), roles: name.startsWith("!") ? "team_admin team_user" : "team_user" },
      channels: channels.map((one) => ({
        name: one.replace(/^[!*-]/, ""),
        roles: one.startsWith("!") ? "channel_admin channel_user" : "channel_user",
        notify_props: { desktop: "default", mobile: "default", mark_unread: one.startsWith("-") ? "mention" : "all" },
        ...{ favorite: one.startsWith("*"), msg_count: 3, last_viewed_at: at(1, 1) },
      })),
    })),
    ...more,
  },
});
/** What somebody said, in a post or a reply. */
export const said = (by: string, create_at: number, message: string, more: object = {}) => ({
  ...{ user: by, type: "", message, props: {}, create_at, edit_at: 0, reactions: [] },
  ...more,
});
export const post = (inTeam: string, inChannel: string, what: object) => ({
  type: "post",
  post: { team: inTeam, channel: inChannel, replies: [], ...what },
});
export const directPost = (channel_members: string[], what: object) => ({
  type: "direct_post",
  direct_post: { channel_members, replies: [], attachments: null, ...what },
});

const ship = "20240101/teams/noteam/channels/c8h1/users/u3p1/f5d1/ship.txt";

/** Everything that an export may have, in a few messages of one team. `picture` is that of an emoji and of a person. */
export const theTempest = (picture: Uint8Array): Record<string, unknown> => ({
  "import.jsonl": [
    version,
    { type: "role", role: { name: "system_user", permissions: ["create_team"] } },
    { type: "scheme", scheme: { name: "s", scope: "team" } },
    team("milan", "Milan"),
    channel("milan", "town-square", "Town Square"),
    channel("milan", "island", "The Island", { purpose: "About ~books & the **sea**", header: "See :thumbsup:" }),
    channel("milan", "books", "Books", { deleted_at: at(2, 0) }),
    channel("milan", "plot", "Plot", { type: "P" }),
    user(
      "prospero",
      "Prospero",
      { "!milan": ["town-square", "!island", "plot"] },
      {
        ...{ roles: "system_admin system_user", last_name: "of Milan", profile_image: "users/u3p1/profile.png" },
      },
    ),
    user("miranda", "Miranda", { milan: ["town-square", "*island", "-books"] }, { position: "Heir" }),
    user("caliban", "", { milan: ["island"] }, { nickname: "Caliban", roles: "system_guest" }),
    user("antonio", "Antonio", { milan: ["town-square"] }, { delete_at: at(1, 0) }),
    {
      type: "bot",
      bot: { username: "ariel", owner: "prospero", display_name: "Ariel", description: "Airy", delete_at: 0 },
    },
    // The order of posts is that of random IDs.
    post("milan", "island", said("prospero", at(1, 5), "The ship, as drawn", { attachments: [{ path: ship }] })),
    post(
      "milan",
      "island",
      said("prospero", at(1, 2), "Who caused the **tempest**?\nTell me", {
        replies: [
          said("miranda", at(1, 3), "@prospero did, see ~plot and ~books", { edit_at: at(1, 9) }),
          said("caliban", at(2, 0), "_This island's_ mine", { attachments: [{ path: "20240101/gone.txt" }] }),
        ],
        thread_followers: [{ user: "miranda", last_viewed: at(1, 3), unread_mentions: 0 }],
      }),
    ),
    post("milan", "island", said("miranda", at(1, 0), "miranda joined", { type: "system_join_channel" })),
    post(
      "milan",
      "island",
      said("miranda", at(1, 1), "Hello @all, a :thumbsup: and a :storm+: for #science and @nobody", {
        ...{ flagged_by: ["prospero", "caliban"], is_pinned: true },
        reactions: [
          { user: "prospero", create_at: at(1, 2), emoji_name: "wave_medium_dark_skin_tone" },
          { user: "caliban", create_at: at(1, 2), emoji_name: "wave" },
          { user: "prospero", create_at: at(1, 2), emoji_name: "storm+" },
        ],
      }),
    ),
    post(
      "milan",
      "island",
      said("prospero", at(2, 1), "", {
        type: "slack_attachment",
        props: {
          ...{ from_webhook: "true", override_username: "Weather", webhook_display_name: "Storms" },
          attachments: [
            {
              ...{ fallback: "A storm", pretext: "To @miranda", title: "Storm_9", title_link: "https://e.example/9" },
              ...{ text: "_soon_", fields: [{ title: "Wind", value: 9, short: true }], footer: "by Ariel" },
            },
          ],
        },
      }),
    ),
    post("milan", "island", said("miranda", at(2, 2), "*calls the storm*", { type: "me" })),
    post("milan", "plot", said("ariel", at(2, 3), "All hail, @prospero", { props: { from_bot: "true" } })),
    post("milan", "island", said("stephano", at(2, 4), "Here's my comfort")),
    { type: "emoji", emoji: { name: "storm+", image: "emoji/e1/image" } },
    {
      type: "direct_channel",
      direct_channel: {
        participants: [{ username: "prospero" }, { username: "miranda" }],
        ...{ header: "", favorited_by: ["miranda"], shown_by: ["miranda"] },
      },
    },
    { type: "direct_channel", direct_channel: { members: ["miranda", "miranda"], header: "" } },
    directPost(["prospero", "miranda"], said("prospero", at(1, 4), "The hour's now come")),
    directPost(
      ["prospero", "miranda", "caliban"],
      said("caliban", at(3, 0), "> Be not afeard", { replies: [said("miranda", at(3, 1), "@caliban!")] }),
    ),
    directPost(["miranda", "miranda"], said("miranda", at(3, 2), "- [x] log\n- [ ] water")),
  ],
  [`data/${ship}`]: Buffer.from("ship"),
  "data/emoji/e1/image": picture,
  "data/users/u3p1/profile.png": picture,
});
