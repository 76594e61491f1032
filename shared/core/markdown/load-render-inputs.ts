import { meantBy, nameKey } from "../../base/name-key.ts";
import { loadEmojiTable } from "../emoji/names.ts";
import type { RenderContext } from "./context.ts";
import { emoticonPattern, mayContainEmoji } from "./inline/emoji.ts";
import {
  channelWildcards,
  possibleChannelNames,
  possibleGroupNames,
  possibleUserNames,
  readGroupName,
  readUserName,
  topicWildcards,
} from "./inline/mention-syntax.ts";
import { loadLinkifiers, loadTopLevelDomains } from "./load-parts.ts";
import type { RenderInputs } from "./render-inputs.ts";

/** Scans the content, and in parallel looks up the names in it and loads the parts of the renderer that it needs. */
export async function loadRenderInputs(content: string, context: RenderContext): Promise<RenderInputs> {
  const [names, parts] = await Promise.all([lookUpNames(content, context), loadParts(content, context)]);
  return {
    ...names,
    ...parts,
    translateEmoticons: context.translateEmoticons ?? false,
    realmUrl: context.realmUrl,
    previewsMedia: context.previewsMedia ?? true,
    emptyTopicDisplayName: context.emptyTopicDisplayName,
    defaultCodeLanguage: context.defaultCodeLanguage,
  };
}

type Names = Pick<
  RenderInputs,
  | "userByName"
  | "userById"
  | "groupByName"
  | "groupById"
  | "channelByName"
  | "latestMessageIdInTopic"
  | "realmEmoji"
  | "uploads"
>;

const possibleEmojiName = /:[\p{L}\p{N}_\-+]+:/u;

// Bounds the reads for hostile content: 10,000 characters could mention thousands of users.
const maxNames = 200;

/** Looks up the users, groups, channels, topics, custom emoji and files that the content may refer to. */
async function lookUpNames(content: string, context: RenderContext): Promise<Names> {
  const [users, groups, channels, realmEmoji, uploads] = await Promise.all([
    findUsers(content, context),
    findGroups(content, context),
    findChannels(content, context),
    possibleEmojiName.test(content) ? context.realmEmoji() : [],
    findUploads(content, context),
  ]);
  return {
    ...users,
    ...groups,
    ...channels,
    realmEmoji: new Map(realmEmoji.map((emoji) => [emoji.name, emoji.sourceUrl])),
    uploads: new Map(uploads.map((file) => [file.path, file])),
  };
}

async function findUsers(content: string, context: RenderContext): Promise<Pick<Names, "userByName" | "userById">> {
  const names = new Set<string>();
  const ids = new Set<number>();
  for (const [, name = ""] of content.includes("@") ? content.matchAll(possibleUserNames()) : []) {
    if (channelWildcards.has(name) || topicWildcards.has(name) || names.size + ids.size >= maxNames) continue;
    const { fullName, id } = readUserName(name);
    if (id !== undefined) ids.add(id);
    else if (fullName !== undefined) names.add(fullName);
  }
  const [usersByName, usersById] = await Promise.all([
    names.size > 0 ? context.findUsers([...names]) : [],
    ids.size > 0 ? context.findUsersById([...ids]) : [],
  ]);
  const byId = new Map([...usersByName, ...usersById].map((user) => [user.id, user]));
  const active = new Map(usersByName.map((user) => [user.id, user]));
  const alike = Map.groupBy(active.values(), ({ fullName }) => nameKey(fullName));
  return {
    userByName: (name) => meantBy(name, alike.get(nameKey(name)) ?? [], ({ fullName }) => fullName),
    userById: (id) => byId.get(id),
  };
}

async function findUploads(content: string, context: RenderContext) {
  if (!context.uploads || !content.includes("/user_uploads/")) return [];
  const paths = new Set([...content.matchAll(/\/user_uploads\/[^\s()<>"']+/g)].map((match) => match[0]));
  return context.uploads([...paths].slice(0, maxNames));
}

async function findGroups(content: string, context: RenderContext): Promise<Pick<Names, "groupByName" | "groupById">> {
  const mentions = content.includes("@") ? [...content.matchAll(possibleGroupNames())] : [];
  const named = [...new Set(mentions.map(([, name = ""]) => name))].slice(0, maxNames).map(readGroupName);
  const names = named.flatMap((group) => ("name" in group ? [group.name] : []));
  const ids = named.flatMap((group) => ("id" in group ? [group.id] : []));
  const [groupsByName, groupsById] = await Promise.all([
    names.length > 0 ? context.findGroups(names) : [],
    ids.length > 0 ? context.findGroupsById(ids) : [],
  ]);
  const byName = new Map(groupsByName.map((group) => [nameKey(group.name), group]));
  const byId = new Map(groupsById.map((group) => [group.id, group]));
  return { groupByName: (name) => byName.get(nameKey(name)), groupById: (id) => byId.get(id) };
}

async function findChannels(
  content: string,
  context: RenderContext,
): Promise<Pick<Names, "channelByName" | "latestMessageIdInTopic">> {
  const links = content.includes("#**") ? [...content.matchAll(possibleChannelNames())].slice(0, maxNames) : [];
  const topics = links.flatMap(([, name = "", topic]) => (topic === undefined ? [] : [{ name, topic }]));
  // A channel's name may contain `>`, which also separates the topic, so both readings are looked up.
  const names = [
    ...new Set(links.flatMap(([, name = "", topic]) => (topic === undefined ? [name] : [name, `${name}>${topic}`]))),
  ];
  const channels = names.length > 0 ? await context.findChannels(names) : [];
  const byName = new Map(channels.map((channel) => [nameKey(channel.name), channel]));
  const channelByName: Names["channelByName"] = (name) => byName.get(nameKey(name));
  const knownTopics = topics.flatMap(({ name, topic }) => {
    const channel = channelByName(name);
    return channel ? [{ channelId: channel.id, topic }] : [];
  });
  const latestIds = knownTopics.length > 0 ? await context.latestMessageIdInTopic(knownTopics) : [];
  const key = (channelId: number, topic: string): string => `${channelId} ${topic}`;
  const byTopic = new Map(knownTopics.map(({ channelId, topic }, index) => [key(channelId, topic), latestIds[index]]));
  return { channelByName, latestMessageIdInTopic: (channelId, topic) => byTopic.get(key(channelId, topic)) };
}

type Parts = Pick<RenderInputs, "linkifiers" | "topLevelDomains" | "emoji" | "katex" | "languages" | "highlight">;

const codeFence = /^[> ]*(?:~{3,}|`{3,}) *\{?\.?[a-zA-Z0-9_+]/m;
const mathFence = /^[> ]*(?:~{3,}|`{3,}) *\{?\.?math/im;

/** Loads the linkifiers and the large modules that the content needs; plain text needs no large module. */
async function loadParts(content: string, context: RenderContext): Promise<Parts> {
  const needsEmoji =
    possibleEmojiName.test(content) ||
    mayContainEmoji(content) ||
    (context.translateEmoticons === true && emoticonPattern().test(content));
  const needsTex = content.includes("$$") || mathFence.test(content);
  const needsCode = codeFence.test(content) || (context.defaultCodeLanguage && /^[> ]*(?:~~~|```)/m.test(content));
  const [linkifiers, topLevelDomains, emoji, katex, languages, highlight] = await Promise.all([
    context.linkifiers().then(loadLinkifiers),
    content.includes(".") ? loadTopLevelDomains() : new Set<string>(),
    needsEmoji ? loadEmojiTable() : undefined,
    needsTex ? import("katex").then((module) => module.default) : undefined,
    needsCode ? loadLanguages() : undefined,
    needsCode ? import("./highlight.ts").then((module) => module.highlight) : undefined,
  ]);
  return { linkifiers, topLevelDomains, emoji, katex, languages, highlight };
}

let languages: Promise<Readonly<Record<string, string>>> | undefined;

function loadLanguages(): Promise<Readonly<Record<string, string>>> {
  languages ??= import("./languages.generated.json", { with: { type: "json" } }).then((module) => {
    // Without a prototype: a language may be called "constructor".
    return Object.assign(Object.create(null), module.default);
  });
  return languages;
}
