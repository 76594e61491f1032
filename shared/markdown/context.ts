/** Someone whom a text may name; whoever is deactivated is not notified. */
export interface NamedUser {
  id: number;
  fullName: string;
  isDeactivated?: boolean;
}

/** What the renderer must know of the organization; every look-up is asynchronous, and only what a text names is asked for. */
export interface RenderContext {
  realmId: number;
  /** Active users by full name, case-insensitively; several users may share one. */
  findUsers(names: string[]): Promise<NamedUser[]>;
  /** Whoever has such an ID. */
  findUsersById(ids: number[]): Promise<NamedUser[]>;
  findGroups(names: string[]): Promise<{ id: number; name: string; isSystem: boolean; displayName: string }[]>;
  /** Only those that the author can see. */
  findChannels(names: string[]): Promise<{ id: number; name: string }[]>;
  /** The latest message of each topic that the author can see. */
  latestInTopic(topics: { channelId: number; topic: string }[]): Promise<(number | undefined)[]>;
  /** The active ones. */
  realmEmoji(): Promise<{ id: string; name: string; sourceUrl: string; stillUrl: string | null }[]>;
  /** In order of precedence. */
  linkifiers(): Promise<{ pattern: string; urlTemplate: string }[]>;
  translateEmoticons?: boolean;
  /** The own server, without a slash at the end: links into it are shortened. */
  realmUrl?: string;
  emptyTopicDisplayName: string;
  /** Whether pictures and films are shown below what links them; absent, they are. */
  showsMedia?: boolean;
  /** The language of code blocks that name none. */
  defaultCodeLanguage?: string;
  /** What is known of uploaded files; `path` as asked for, beginning with /user_uploads/. */
  uploads?(
    paths: string[],
  ): Promise<{ path: string; contentType: string; width?: number; height?: number; thumbnailPending?: boolean }[]>;
}

/** A rendered text and what was found in it. */
export interface Rendered {
  html: string;
  /** Users mentioned personally, not silently. */
  mentionedUserIds: number[];
  mentionedGroupIds: number[];
  channelWildcard: boolean;
  topicWildcard: boolean;
  /** Targets of all links, for `has:link`. */
  links: string[];
  /** The /user_uploads/... paths that the text links. */
  uploadPaths: string[];
  hasImage: boolean;
  isMeMessage: boolean;
}

/** What is known of an uploaded file that a text links. */
export interface Upload {
  contentType: string;
  width?: number;
  height?: number;
  /** An image whose thumbnail is not there yet. */
  thumbnailPending?: boolean;
}
