/** A user whom a message may mention. A mention of a deactivated user notifies no one. */
export interface NamedUser {
  id: number;
  fullName: string;
  isDeactivated?: boolean;
}

export interface NamedGroup {
  id: number;
  name: string;
  isSystem: boolean;
  displayName: string;
}

/** The renderer's access to the organization's data. Each function is called only if the content may refer to such data. */
export interface RenderContext {
  /** Active users whose full names look like these (`nameKey`); several users may share one. */
  findUsers(names: string[]): Promise<NamedUser[]>;
  /** The users with these IDs, without unknown ones. */
  findUsersById(ids: number[]): Promise<NamedUser[]>;
  findGroups(names: string[]): Promise<NamedGroup[]>;
  findGroupsById(ids: number[]): Promise<NamedGroup[]>;
  /** Only channels that the author can see. */
  findChannels(names: string[]): Promise<{ id: number; name: string }[]>;
  /** The ID of each topic's latest message, if the author can see it. */
  latestMessageIdInTopic(topics: { channelId: number; topic: string }[]): Promise<(number | undefined)[]>;
  realmEmoji(): Promise<{ id: string; name: string; sourceUrl: string; stillUrl: string | null }[]>;
  /** In order of precedence. */
  linkifiers(): Promise<{ pattern: string; urlTemplate: string }[]>;
  translateEmoticons?: boolean;
  /** This server's URL without a trailing slash. Links to it become relative. */
  realmUrl?: string;
  emptyTopicDisplayName: string;
  /** Whether linked pictures and videos are previewed. Default true. */
  previewsMedia?: boolean;
  /** The language of code blocks without one. */
  defaultCodeLanguage?: string;
  /** Metadata of uploaded files. Paths begin with `/user_uploads/`. */
  uploads?(
    paths: string[],
  ): Promise<{ path: string; contentType: string; width?: number; height?: number; thumbnailPending?: boolean }[]>;
}

/** Rendered content, and what it mentions and links to. */
export interface Rendered {
  html: string;
  /** Users mentioned by name, without silent mentions. */
  mentionedUserIds: number[];
  mentionedGroupIds: number[];
  channelWildcard: boolean;
  topicWildcard: boolean;
  /** The /user_uploads/... paths that the content links to. */
  uploadPaths: string[];
  isMeMessage: boolean;
}

export interface UploadMetadata {
  contentType: string;
  width?: number;
  height?: number;
  /** Whether the file is an image without a thumbnail yet. */
  thumbnailPending?: boolean;
}
