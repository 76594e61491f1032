import { fromDiscordMarkdown } from "../../integrations/discord-markup.ts";

/** What the IDs in a text mean; undefined for what is not in the archive. */
export interface DiscordNames {
  user(id: string): string | undefined;
  role(id: string): string | undefined;
  channel(id: string): string | undefined;
  emoji(name: string): string | undefined;
}

/** Discord's Markdown as Zulip's, with what its references mean. What would be a reference here, and was none there, is interrupted. */
export const fromDiscord = (text: string, names: DiscordNames): string =>
  fromDiscordMarkdown(
    text
      .replaceAll("\0", "\ufffd")
      .split(/(```[\s\S]*?(?:```|$)|`[^`\n]+`)/)
      .map((part, index) => (index % 2 === 0 ? withNames(part, names) : part))
      .join(""),
  ).replace(/^\/(?=me\b)/, "\u200b/");

const withNames = (text: string, names: DiscordNames): string =>
  text
    .replace(/@(?=_?\*)|#(?=\*\*)/g, "$&\u200b")
    .replace(/\]\((?!<?https?:)/g, "]\\(")
    .replace(
      /https?:\/\/(?:\w+\.)?discord(?:app)?\.com\/channels\/(?:\d+|@me)\/(\d{1,25})(?:\/\d{1,25})?(?![\w/])/g,
      (url, id: string) => names.channel(id) ?? url,
    )
    .replace(/<@!?(\d{1,25})>/g, (_, id: string) => names.user(id) ?? "@someone")
    .replace(/<@&(\d{1,25})>/g, (_, id: string) => `@${names.role(id) ?? "some"}`.replace(/@(?=_?\*)/, "@\u200b"))
    .replace(/<#(\d{1,25})>/g, (_, id: string) => names.channel(id) ?? "#channel")
    .replace(/<a?:(\w{1,40}):\d{1,25}>/g, (_, name: string) => `:${names.emoji(name) ?? name}:`)
    .replace(/@(?:everyone|here)\b/g, "@**all**");
