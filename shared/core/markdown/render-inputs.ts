import type { EmojiTable } from "../emoji/names.ts";
import type { NamedGroup, NamedUser, UploadMetadata } from "./context.ts";
import type { CompiledLinkifier } from "./linkifiers.ts";

/** Highlights code as HTML; undefined for an unknown language. */
type Highlight = (source: string, language: string) => string | undefined;

/** Everything that rendering needs. It is loaded in advance, because rendering is synchronous. */
export interface RenderInputs {
  userByName(name: string): NamedUser | undefined;
  userById(id: number): NamedUser | undefined;
  groupByName(name: string): NamedGroup | undefined;
  groupById(id: number): NamedGroup | undefined;
  channelByName(name: string): { id: number; name: string } | undefined;
  latestMessageIdInTopic(channelId: number, topic: string): number | undefined;
  /** Metadata of uploaded files, by path. */
  uploads: ReadonlyMap<string, UploadMetadata>;
  /** Image URLs of custom emoji, by name. */
  realmEmoji: ReadonlyMap<string, string>;
  linkifiers: readonly CompiledLinkifier[];
  topLevelDomains: ReadonlySet<string>;
  emoji: EmojiTable | undefined;
  katex: { renderToString(formula: string, options: object): string } | undefined;
  languages: Readonly<Record<string, string>> | undefined;
  highlight: Highlight | undefined;
  translateEmoticons: boolean;
  realmUrl: string | undefined;
  previewsMedia: boolean;
  emptyTopicDisplayName: string;
  defaultCodeLanguage: string | undefined;
}
