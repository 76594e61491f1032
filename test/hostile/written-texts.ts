/** Texts that a member could write to spoil others' pages, and every place of the API that takes one. */

/** Runs if a page executes what somebody wrote. */
const script = "window.scriptOfAMember=true";

/** A text of at most `max` characters. */
export type Text = (max: number) => string;

const cut =
  (text: string): Text =>
  (max) =>
    [...text].slice(0, max).join("");
const repeated =
  (unit: string, start = ""): Text =>
  (max) =>
    start + unit.repeat(Math.max(1, Math.floor((max - start.length) / [...unit].length)));

/** By what they are. */
export const texts: Readonly<Record<string, Text>> = {
  "a long word": repeated("W"),
  "wide characters": repeated("﷽"),
  "combining characters": repeated("\u0301", "o"),
  "characters that stack": repeated("ส็็็็็"),
  "overrides of the direction": cut("\u202eevil\u2066 txt.exe \u2067 gnp.moc \u202b abc"),
  "right to left": cut("مرحبا بالعالم (hello) 123 - שלום [x]"),
  "emoji of many parts": repeated("👨‍👩‍👧‍👦"),
  "nothing visible": repeated("\u3164"),
  "an image with a script": cut(`<img src=x onerror="${script}"><svg onload=${script}>`),
  "a script that closes tags": cut(`"'></title></textarea></script><script>${script}</script>`),
  "a link that runs a script": cut(`javascript:${script}//[x](javascript:${script})`),
  "addresses that are none": cut("http://a.com:999999/ [x](http://a%b) https://[ http://%00/"),
  "percent signs": cut("%E0%A4%A %(username)s $& $1 %s 100%"),
  "a list in JSON": cut("[,]"),
  "numbers in JSON": cut("[1]"),
  "a name that all objects have": cut("__proto__"),
  "another name that all objects have": cut("constructor"),
  templates: cut("{{content}} \u0024{alert(1)} {x} {+x*} <%= 1 %>"),
  "pictures of other sites": cut("![x](https://other.test/p.png) https://other.test/q.png ![](//other.test/r.png)"),
  "a search": cut('is:unread -channel:"x" sender:* #narrow/topic/%'),
};

const line = (text: string, count: number) => Array.from({ length: count }, () => text).join("\n");

/** Markdown for messages alone. */
export const markdown: Readonly<Record<string, string>> = {
  "ten thousand lines": `top${"\n\n\u3164".repeat(3300)}`,
  "blank lines": `top${"\n".repeat(9900)}bottom`,
  "a wide table": `${"|a".repeat(300)}|\n${"|-".repeat(300)}|\n${"|wide".repeat(300)}|`,
  "a long table": `|a|b|\n|-|-|\n${line("|x|y|", 900)}`,
  "deep quotes": `${"> ".repeat(400)}deep`,
  "deep lists": Array.from({ length: 100 }, (_, depth) => `${"  ".repeat(depth)}* ${depth}`).join("\n"),
  "a wide line of code": `\`\`\`\n${"x".repeat(9000)}\n\`\`\``,
  "a wide formula": `$$${"x+".repeat(1500)}x$$`,
  "a large rule": "$$\\rule{100000em}{100000em}$$",
  "a spoiler in a quote": `\`\`\`\`quote\n\`\`\`spoiler ${"H".repeat(2000)}\nhidden\n\`\`\`\n\`\`\`\``,
  "large headings": line("# **BIG**", 200),
  "many mentions": "@**all** ".repeat(500),
  "many emoji": ":fire: ".repeat(1500),
  "times that are none": "<time:999999999999999> <time:0001-01-01T00:00:00Z> <time:x>",
  "a long poll": `/poll ${"Q".repeat(500)}\n${line("O".repeat(90), 20)}`,
  "a poll of names that all objects have": "/poll __proto__\nconstructor\n__proto__\ntoString",
  "a long to-do list": `/todo ${"T".repeat(500)}\n${line("task: description", 20)}`,
};

/** Makes a call, also with a file; resolves with the status and the body. */
export type Call = (
  method: string,
  path: string,
  params?: Record<string, unknown>,
  file?: { name: string; bytes: Uint8Array },
) => Promise<Record<string, any>>;

/** Where a text is written: the field's greatest length and the call that writes a text to it. */
export interface Place {
  max: number;
  write: (text: string, context: Context) => Promise<Record<string, any>>;
}

export interface Context {
  call: Call;
  /** The writer's user ID, and the reader's. */
  writer: number;
  reader: number;
  /** A channel of both, and a message of the writer. */
  channelId: number;
  messageId: number;
  /** Makes each round's names differ. */
  round: number;
  png: Uint8Array;
}

const inOneDay = () => Math.floor(Date.now() / 1000) + 86_400;

/** By the field. */
export const places: Readonly<Record<string, Place>> = {
  "full name": { max: 100, write: (full_name, { call }) => call("PATCH", "/settings", { full_name }) },
  status: {
    max: 60,
    write: (status_text, { call }) => call("POST", "/users/me/status", { status_text, emoji_name: "fire" }),
  },
  pronouns: fieldPlace(8, 50),
  "short text of a profile": fieldPlace(1, 50),
  "long text of a profile": fieldPlace(2, 500),
  "link of a profile": {
    max: 200,
    write: (text, context) => setField(context, 5, `https://${text}`),
  },
  "account of a profile": { max: 50, write: (text, context) => setField(context, 7, text) },
  "choice of a profile field": {
    max: 40,
    write: async (text, { call, round }) =>
      call("POST", "/realm/profile_fields", {
        name: `choice ${round}`,
        field_type: 3,
        field_data: { [text]: { text, order: "1" }, b: { text: "b", order: "2" } },
      }),
  },
  "name and hint of a profile field": {
    max: 40,
    write: (text, { call }) => call("POST", "/realm/profile_fields", { name: text, hint: text, field_type: 1 }),
  },
  topic: {
    max: 60,
    write: (topic, { call, channelId }) =>
      call("POST", "/messages", { type: "channel", to: channelId, topic, content: "in this topic" }),
  },
  message: {
    max: 9900,
    write: say,
  },
  "direct message": {
    max: 9900,
    write: (content, { call, reader }) => call("POST", "/messages", { type: "direct", to: [reader], content }),
  },
  mention: {
    max: 9000,
    write: (text, context) => say(`@**|${context.reader}** ${text}`, context),
  },
  "edit of a message": {
    max: 9900,
    write: (content, { call, messageId }) => call("PATCH", `/messages/${messageId}`, { content }),
  },
  poll: {
    max: 200,
    write: (text, context) => {
      const words = text.replaceAll("\n", " ");
      return say(`/poll ${words}\n${words}\nother`, context);
    },
  },
  "option of a poll": {
    max: 200,
    write: async (text, context) => {
      const { id } = await say("/poll q\na", context);
      const content = JSON.stringify({ type: "new_option", idx: 1, option: text });
      return context.call("POST", "/submessage", { message_id: id, msg_type: "widget", content });
    },
  },
  "to-do": {
    max: 200,
    write: (text, context) => say(`/todo ${text}\n${text}: x`, context),
  },
  "channel's name": {
    max: 60,
    write: (name, { call, reader }) =>
      call("POST", "/users/me/subscriptions", { subscriptions: [{ name, description: name }], principals: [reader] }),
  },
  "channel's description": {
    max: 1024,
    write: (description, { call, channelId }) => call("PATCH", `/streams/${channelId}`, { description }),
  },
  "name of a file": {
    max: 100,
    write: async (text, context) => {
      const name = `${text.replace(/["\r\n/\\]/g, "")}.txt`;
      const { uri, ...reply } = await context.call("POST", "/user_uploads", {}, { name, bytes: new Uint8Array([97]) });
      if (uri === undefined) return reply;
      return say(`[${name}](${uri})`, context);
    },
  },
  "name of an emoji": {
    max: 60,
    write: async (text, { call, messageId, png, round }) => {
      const name = `${text.toLowerCase().replace(/[^a-z0-9_]/g, "_")}${round}`;
      await call("POST", `/realm/emoji/${encodeURIComponent(name)}`, {}, { name: "e.png", bytes: png });
      return call("POST", `/messages/${messageId}/reactions`, { emoji_name: name });
    },
  },
  "group's name and description": {
    max: 100,
    write: (text, { call, writer, reader }) =>
      call("POST", "/user_groups/create", { name: text, description: text, members: [writer, reader] }),
  },
  "folder's name and description": {
    max: 60,
    write: (text, { call }) => call("POST", "/channel_folders/create", { name: text, description: text }),
  },
  linkifier: {
    max: 200,
    write: (text, { call, round }) =>
      call("POST", "/realm/filters", {
        pattern: `L${round}-(?P<x>.+)`,
        url_template: `https://other.test/${text.replace(/[{}]/g, "")}{x}`,
      }),
  },
  "pattern of a linkifier": {
    max: 60,
    write: (text, { call, round }) =>
      call("POST", "/realm/filters", {
        pattern: `P${round}-${text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?P<x>.)`,
        url_template: "https://other.test/{x}",
      }),
  },
  "host of a linkifier": {
    max: 1,
    write: async (_, context) => {
      const { call, round } = context;
      await call("POST", "/realm/filters", { pattern: `H${round}-(?P<x>.)`, url_template: "https://{x}" });
      return say(`H${round}-[ H${round}-%`, context);
    },
  },
  playground: {
    max: 40,
    write: (text, { call, round }) =>
      call("POST", "/realm/playgrounds", {
        name: `${text}${round}`,
        pygments_language: "Python",
        url_template: `https://other.test/${round}/${text.replace(/[{}]/g, "")}{code}`,
      }),
  },
  "name and description of the organization": {
    max: 40,
    write: (text, { call }) => call("PATCH", "/realm", { name: text, description: text }),
  },
  "topic and code of the organization": {
    max: 40,
    write: (text, { call }) =>
      call("PATCH", "/realm", { empty_topic_display_name: text, default_code_block_language: text }),
  },
  "language of a code block": {
    max: 200,
    write: (text, context) => say(`\`\`\`${text}\nx\n\`\`\``, context),
  },
  "group of channels": {
    max: 60,
    write: (text, { call }) =>
      call("POST", "/default_stream_groups/create", { group_name: text, description: text, stream_names: [] }),
  },
  "name of a bot": {
    max: 90,
    write: (full_name, { call, round }) =>
      call("POST", "/bots", { full_name: `${full_name}${round}`, short_name: `b${round}` }),
  },
};

/** What a person writes for themselves, and sees alone. */
export const ownPlaces: Readonly<Record<string, Place>> = {
  snippet: {
    max: 60,
    write: (text, { call }) => call("POST", "/saved_snippets", { title: text, content: text }),
  },
  draft: {
    max: 9000,
    write: (content, { call, channelId }) =>
      call("POST", "/drafts", {
        drafts: [{ type: "stream", to: [channelId], topic: [...content].slice(0, 60).join(""), content, timestamp: 1 }],
      }),
  },
  "scheduled message": {
    max: 9000,
    write: (content, { call, channelId }) =>
      call("POST", "/scheduled_messages", {
        type: "channel",
        to: channelId,
        topic: [...content].slice(0, 60).join(""),
        content,
        scheduled_delivery_timestamp: inOneDay(),
      }),
  },
  "navigation view": {
    max: 100,
    write: (name, { call, round }) =>
      call("POST", "/navigation_views", { fragment: `narrow/is/${name}-${round}`, is_pinned: true, name }),
  },
  "alert word": {
    max: 50,
    write: (text, { call }) => call("POST", "/users/me/alert_words", { alert_words: [text] }),
  },
  reminder: {
    max: 100,
    write: (note, { call, messageId }) =>
      call("POST", "/reminders", { message_id: messageId, scheduled_delivery_timestamp: inOneDay(), note }),
  },
};

/** Sends a message to the channel. */
function say(content: string, { call, channelId }: Context) {
  return call("POST", "/messages", { type: "channel", to: channelId, topic: "texts", content });
}

function fieldPlace(type: number, max: number): Place {
  return { max, write: (text, context) => setField(context, type, text) };
}

const fieldIds = new Map<number, number>();

/** Sets the writer's value of a profile field of a type, which is created first. */
async function setField({ call }: Context, type: number, value: string) {
  const known = fieldIds.get(type);
  const field_data = type === 7 ? { subtype: "custom", url_pattern: "https://other.test/%(username)s" } : {};
  const id =
    known ?? (await call("POST", "/realm/profile_fields", { name: `field ${type}`, field_type: type, field_data })).id;
  fieldIds.set(type, id);
  return call("PATCH", "/users/me/profile_data", { data: [{ id, value }] });
}
