/** Exports by hand of DiscordChatExporter, with the fields that it writes as JSON. */

const at = (minute: number) => new Date(Date.UTC(2024, 0, 1, 12, minute)).toISOString().replace("Z", "+00:00");

const captain = { id: "900", name: "captain", color: "#ff0000", position: 1 };
const person = (id: string, name: string, nickname: string, more: object = {}) => ({
  ...{ id, name, discriminator: "0000", nickname, color: null, isBot: false, roles: [] },
  ...{ avatarUrl: `https://cdn.discordapp.com/avatars/${id}.png` },
  ...more,
});
export const people = {
  prospero: person("1", "prospero", "Prospero"),
  miranda: person("2", "miranda", "Miranda", { roles: [captain], avatarUrl: "hall.json_Files/miranda.png" }),
  caliban: person("3", "caliban", "Caliban"),
  ariel: person("4", "Ariel", "Ariel", { isBot: true }),
};

let next = 0;
export const said = (author: object, minute: number, content: string, more: object = {}) => ({
  ...{ id: String(5000 + next++), type: "Default", timestamp: at(minute), timestampEdited: null },
  ...{ callEndedTimestamp: null, isPinned: false, content, author, attachments: [], embeds: [], stickers: [] },
  ...{ reactions: [], mentions: [], inlineEmojis: [] },
  ...more,
});

export const channelFile = (channel: object, messages: object[], guild: object = { id: "10", name: "Milan" }) => ({
  guild: { ...guild, iconUrl: "https://cdn.discordapp.com/icons/10.png" },
  channel: { type: "GuildTextChat", categoryId: null, category: null, topic: null, ...channel },
  dateRange: { after: null, before: null },
  exportedAt: at(59),
  messages,
  messageCount: messages.length,
});

const { prospero, miranda, caliban, ariel } = people;
const storm = { id: "800", name: "Storm", code: "Storm", isAnimated: false, imageUrl: "hall.json_Files/storm.png" };
const thumb = { id: "", name: "👍", code: "thumbsup", isAnimated: false, imageUrl: "https://cdn.example/1f44d.svg" };

/** Everything that an export may have, in a few messages. `picture` is that of an emoji and of a person. */
export const theTempest = (picture: Uint8Array): Record<string, unknown> => ({
  "hall.json": channelFile({ id: "100", name: "hall", category: "Island", categoryId: "99", topic: "About <#101>" }, [
    said(miranda, 1, "**Hello** @everyone, <@1> and <@&900> of <#100>, <#4000> at <t:1704110400:R> <a:Storm:800>", {
      mentions: [prospero],
      reactions: [
        { emoji: thumb, count: 2, users: [prospero, caliban] },
        { emoji: storm, count: 3, users: [prospero] },
      ],
      inlineEmojis: [storm],
    }),
    said(prospero, 2, "Who caused the tempest?", { id: "4000", isPinned: true }),
    said(caliban, 3, "I did", { type: "Reply", timestampEdited: at(4), reference: { messageId: "4000" } }),
    said(prospero, 5, "The ship", {
      attachments: [
        { id: "1", url: "hall.json_Files\\ship-1A2B.txt", fileName: "ship.txt", fileSizeBytes: 9 },
        { id: "2", url: "https://cdn.discordapp.com/attachments/gone.txt", fileName: "gone.txt", fileSizeBytes: 9 },
        { id: "3", url: "../../etc/passwd", fileName: "passwd", fileSizeBytes: 9 },
      ],
      stickers: [{ id: "7", name: "Wave", format: "Png", sourceUrl: "hall.json_Files/storm.png" }],
    }),
    said(ariel, 6, "See https://e.example/news", {
      embeds: [
        { title: "News", url: "https://e.example/news", description: "A preview" },
        {
          ...{ title: "Storm", url: "https://e.example/9", description: "__soon__ ||here||" },
          fields: [{ name: "Wind", value: "9", isInline: true }],
        },
      ],
    }),
    said(miranda, 7, "Miranda pinned a message to this channel.", { type: "ChannelPinnedMessage" }),
  ]),
  "thread.json": channelFile(
    { id: "4000", type: "GuildPublicThread", categoryId: "100", category: "hall", name: "The *tempest*" },
    [said(miranda, 8, "@**all** Had I been any god of power https://discord.com/channels/10/100/4000")],
  ),
  "forum/idea.json": channelFile(
    { id: "4001", type: "GuildPublicThread", categoryId: "102", category: "ideas", name: "A book" },
    [said(prospero, 9, "Deeper than did ever plummet sound")],
  ),
  "direct.json": channelFile(
    { id: "200", type: "DirectTextChat", name: "Miranda" },
    [said(prospero, 10, "The hour's now come"), said(miranda, 11, "`<@1>` More to know")],
    { id: "0", name: "Direct Messages" },
  ),
  "notes.json": { anything: true },
  "hall.json_Files/storm.png": picture,
  "hall.json_Files/miranda.png": picture,
  "hall.json_Files/ship-1A2B.txt": "shipwreck",
});
