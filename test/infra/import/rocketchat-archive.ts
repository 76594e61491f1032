/** Dumps by hand of the database of Rocket.Chat, with the collections and fields that its server writes. */

/** The time of a message, in minutes after noon of 1 January 2024. */
const at = (minute: number) => new Date(Date.UTC(2024, 0, 1, 12, minute));

export const person = (_id: string, username: string, name: string, more: object = {}) => ({
  ...{ _id, username, name, type: "user", active: true, roles: ["user"], status: "offline", createdAt: at(0) },
  ...{ emails: [{ address: `${username}@milan.example`, verified: true }], __rooms: [] },
  ...more,
});
export const room = (_id: string, t: string, name: string, more: object = {}) => ({
  ...{ _id, t, name, fname: name, msgs: 3, usersCount: 2, ts: at(0), ro: false },
  ...more,
});
const names: Record<string, string> = { P: "prospero", M: "miranda", C: "caliban", A: "ariel" };
let next = 0;
export const said = (u: string, rid: string, minute: number, msg: string, more: object = {}) => ({
  ...{ _id: `message${next++}`, rid, msg, ts: at(minute), u: { _id: u, username: names[u] ?? u, name: "" } },
  ...{ mentions: [], channels: [], urls: [] },
  ...more,
});
const member = (u: string, rid: string, more: object = {}) => ({ _id: `${u}${rid}`, rid, u: { _id: u }, ...more });
const chunk = (files_id: string, n: number, data: Uint8Array) => ({
  _id: `${files_id}${n}`,
  files_id,
  n,
  data: Buffer.from(data),
});

/** Everything that a dump may have, in a few messages. `picture` is that of an emoji and of a person. */
export const theTempest = (picture: Uint8Array): Record<string, unknown> => ({
  "instances.bson": [{ _id: "i" }],
  "rocketchat_settings.bson": [
    { _id: "Site_Name", value: "Milan" },
    { _id: "Accounts", value: true },
  ],
  "users.bson": [
    person("P", "prospero", "Prospero", { roles: ["user", "admin"] }),
    person("M", "Miranda", "Miranda", { statusText: "in love" }),
    person("C", "caliban", "Caliban", { roles: ["guest"], __rooms: ["GENERAL"] }),
    person("X", "antonio", "Antonio", { active: false }),
    person("A", "ariel", "Ariel", { type: "bot", roles: ["bot"], emails: undefined }),
    person("V", "guest-1", "Visitor", { type: "unknown" }),
  ],
  "rocketchat_room.bson": [
    room("GENERAL", "c", "general", { default: true, description: "About #plot & the *sea*", topic: "See :thumbsup:" }),
    room("R2", "p", "plot"),
    room("R3", "c", "News", { ro: true }),
    room("R4", "c", "books", { archived: true }),
    room("R5", "c", "x8h2", { fname: "Who did it?", prid: "GENERAL" }),
    room("R6", "p", "x9h3", { fname: "Secret", prid: "GENERAL" }),
    room("D1", "d", "", { uids: ["P", "M"], usernames: ["prospero", "miranda"] }),
    room("D2", "d", "", { uids: ["P", "M", "C"], usernames: ["prospero", "miranda", "caliban"] }),
    room("L1", "l", "", { fname: "Visitor" }),
  ],
  "rocketchat_subscription.bson": [
    member("P", "GENERAL", { roles: ["owner"] }),
    member("M", "GENERAL", { f: true }),
    member("P", "R2", { roles: ["owner"] }),
    member("M", "R3", { roles: ["moderator"], disableNotifications: true }),
    member("P", "D1"),
  ],
  "rocketchat_custom_emoji.bson": [{ _id: "e1", name: "storm", extension: "png", aliases: ["tempest"] }],
  "custom_emoji.chunks.bson": [chunk("storm.png", 0, picture)],
  "rocketchat_avatars.bson": [{ _id: "a1", userId: "P", name: "prospero" }],
  "rocketchat_avatars.chunks.bson": [chunk("a1", 0, picture)],
  "rocketchat_uploads.chunks.bson": [
    chunk("f1", 1, Buffer.from("wreck")),
    chunk("f1", 0, Buffer.from("ship")),
    chunk("f2", 1, Buffer.from("without its beginning")),
  ],
  "rocketchat_message.bson": [
    said("M", "GENERAL", 1, "Hello @all, a :thumbsup: and a :storm: for #general", {
      reactions: { ":storm:": { usernames: ["prospero"] }, ":+1:": { usernames: ["prospero", "caliban"] } },
      starred: [{ _id: "P" }],
    }),
    said("P", "GENERAL", 2, "Who caused the *tempest*?\nTell me", { _id: "thread", tcount: 1, replies: ["M"] }),
    said("M", "GENERAL", 3, "@prospero did, see #plot", { tmid: "thread", editedAt: at(9), editedBy: { _id: "M" } }),
    said("C", "R5", 4, "I do _not_ know ~yet~"),
    said("P", "R6", 5, "Nobody shall know"),
    said("P", "D1", 6, "The hour's now come"),
    said("P", "GENERAL", 7, "The ship", {
      file: { _id: "f1", name: "ship.txt", type: "text/plain" },
      files: [
        { _id: "f1", name: "ship.txt", type: "text/plain" },
        { _id: "t1", name: "thumb-ship.txt", typeGroup: "thumb" },
      ],
      attachments: [{ title: "ship.txt", title_link: "/file-upload/f1/ship.txt", description: "As drawn" }],
    }),
    said("C", "GENERAL", 8, "*This* island's mine", { file: { _id: "f2", name: "gone.txt" }, attachments: [] }),
    said("A", "GENERAL", 9, "To @miranda", {
      ...{ alias: "Weather", bot: { i: "w1" } },
      attachments: [
        { title: "Storm", title_link: "https://e.example/9", text: "*soon*", fields: [{ title: "Wind", value: "9" }] },
      ],
    }),
    said("M", "GENERAL", 10, "[ ](https://chat.example/channel/general?msg=abcdefghijklmnopq) Indeed", {
      attachments: [
        {
          text: "The ship",
          author_name: "prospero",
          message_link: "https://chat.example/channel/general?msg=abcdefghijklmnopq",
        },
      ],
    }),
    said("C", "D2", 11, "> Be not afeard"),
    said("stephano", "GENERAL", 12, "Here's my comfort"),
    said("P", "GENERAL", 13, "", { t: "uj" }),
    said("P", "GENERAL", 14, "x", { t: "e2e" }),
    said("P", "GENERAL", 15, "Who caused it?", { _hidden: true, parent: "thread" }),
    said("V", "L1", 16, "Help"),
  ],
});
