import { type BotType, type Role, roles } from "../../base/schema/roles.ts";
import type { AgentKey } from "../../store/users/agent-keys.ts";
import type { Session } from "./sessions.ts";

/**
 * The authenticated account of a request, read from the table for each request. For a connection it may have been read earlier, if
 * a version says that it is still current.
 */
export interface Caller {
  id: number;
  /** The real (delivery) address, as in the account. */
  email: string;
  role: Role;
  /** Undefined for humans. */
  botType?: BotType | undefined;
  /** Whether anybody has ever muted the caller. */
  wasMuted?: true | undefined;
  /** UNIX seconds; decides whether a member is a full member. */
  joinedAt: number;
  /** User groups, except for system groups, of which the caller is a direct member. */
  groupIds: ReadonlySet<number>;
  /** The session whose key was used; undefined: the API key. */
  session?: Session | undefined;
  /** The hash of the key that was used; undefined: none was. */
  keyHash?: string;
  /** The agent's key that was used, which limits what the caller may read; undefined: none was. */
  agentKey?: AgentKey;
}

export const isBot = (caller: Pick<Caller, "botType">) => caller.botType !== undefined;
export const isAdministrator = (caller: Pick<Caller, "role">) => caller.role <= roles.administrator;
export const isOwner = (caller: Pick<Caller, "role">) => caller.role === roles.owner;
export const isModerator = (caller: Pick<Caller, "role">) => caller.role <= roles.moderator;
export const isGuest = (caller: Pick<Caller, "role">) => caller.role >= roles.guest;

type KeyHolder = Pick<Caller, "agentKey">;

/** Whether an agent's key is for a channel that its owner may read; without a key, a caller has all of their own rights. */
export const mayReadChannel = ({ agentKey }: KeyHolder, id: number): boolean =>
  agentKey?.channelIds?.includes(id) ?? true;

export const mayReadDirectMessages = ({ agentKey }: KeyHolder): boolean =>
  !agentKey || agentKey.directMessages === true;

/** Of a message that the owner may read. */
export const mayReadMessage = (caller: KeyHolder, { channelId }: { channelId?: number | undefined }): boolean =>
  channelId === undefined ? mayReadDirectMessages(caller) : mayReadChannel(caller, channelId);
