import type { Role } from "../../schema/roles.ts";
import { padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItem } from "../table/table.ts";
import { create, type Key, remove, type Write } from "../table/writes.ts";
import { hasExpired } from "./link-tokens.ts";

/** Lets people join: one by a mail to an address, or anybody who has its link. */
export interface Invitation {
  id: number;
  /** Absent: whoever has the link may join, any number of times. */
  email?: string | undefined;
  invitedBy: number;
  role: Role;
  /** UNIX seconds. */
  invitedAt: number;
  /** UNIX seconds; absent: it never expires. */
  expiresAt?: number | undefined;
  channelIds: number[];
  groupIds: number[];
  /** Whether who accepts is subscribed to the default channels, too. */
  withDefaults: boolean;
  /** Whether the one who invited is told. */
  notifies: boolean;
  /** Welcome Bot's words where they are not the organization's. */
  welcomeText?: string | undefined;
  /** From this and the fleet's secret the token in the link is derived, which is found by its hash. */
  tokenSalt: string;
  tokenHash: string;
}

const key = (id: number): Key => ({ pk: "INVITATIONS", sk: padded(id) });
const invitedKey = (email: string) => `INVITED#${email.toLowerCase()}`;
const inviterKey = (userId: number) => `INVITER#${userId}`;

/** Undefined where there is none, or it has expired. Strongly consistent: 1 read unit. */
export async function findInvitation(id: number): Promise<Invitation | undefined> {
  const found = await getItem<Invitation>(key(id), { consistent: true });
  return found && !hasExpired(found) ? found : undefined;
}

const current = (invitations: Invitation[]) => invitations.filter((invitation) => !hasExpired(invitation));

/** Each list is 0.5 read units for about 16. */
export const listInvitations = async () => current(await queryItems<Invitation>({ pk: "INVITATIONS" }));

/** Those that somebody has made. */
export const listInvitationsBy = async (userId: number) =>
  current(await queryItems<Invitation>({ index: "gsi2", pk: inviterKey(userId) }));

/** Those that were mailed to an address, ignoring case. */
export const listInvitationsTo = async (email: string) =>
  current(await queryItems<Invitation>({ index: "gsi1", pk: invitedKey(email) }));

export const createInvitation = (invitation: Invitation): Write => {
  const place = padded(invitation.id);
  return create({
    ...key(invitation.id),
    ...(invitation.email !== undefined && { gsi1pk: invitedKey(invitation.email), gsi1sk: place }),
    gsi2pk: inviterKey(invitation.invitedBy),
    gsi2sk: place,
    ...invitation,
  });
};

/** Fails its transaction when the invitation is gone already. */
export const removeInvitation = (id: number): Write => remove(key(id), { exists: true });
