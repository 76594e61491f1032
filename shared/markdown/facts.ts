import type { EmojiTable } from "../emoji/names.ts";
import type { NamedUser, Upload } from "./context.ts";
import type { Linkifier } from "./linkifiers.ts";

/** Turns code into spans of the highlighter's classes; undefined for a language that it does not know. */
export type Highlight = (source: string, language: string) => string | undefined;

/** All that the synchronous part of rendering needs, looked up beforehand. */
export interface RenderFacts {
  userByName(name: string): NamedUser | undefined;
  userById(id: number): NamedUser | undefined;
  groupByName(name: string): { id: number; name: string; isSystem: boolean; displayName: string } | undefined;
  channelByName(name: string): { id: number; name: string } | undefined;
  latestInTopic(channelId: number, topic: string): number | undefined;
  /** What is known of uploaded files by path. */
  uploads: ReadonlyMap<string, Upload>;
  /** Image URLs of the organization's own emoji by name. */
  realmEmoji: ReadonlyMap<string, string>;
  linkifiers: readonly Linkifier[];
  topLevelDomains: ReadonlySet<string>;
  emoji: EmojiTable | undefined;
  katex: { renderToString(formula: string, options: object): string } | undefined;
  languages: Readonly<Record<string, string>> | undefined;
  highlight: Highlight | undefined;
  /** How many characters of formulas may still be typeset. */
  texBudget: number;
  /** The same of code to highlight. */
  codeBudget: number;
  translateEmoticons: boolean;
  realmUrl: string | undefined;
  showsMedia: boolean;
  emptyTopicDisplayName: string;
  defaultCodeLanguage: string | undefined;
}
