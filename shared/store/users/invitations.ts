import type { Role } from "../../base/schema/roles.ts";
import { padded } from "../table/keys.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { create, type Key, remove, type Write } from "../table/writes.ts";
import { hasExpired } from "./link-tokens.ts";

/** Lets someone join: the owner of an e-mail address, or anyone who has a reusable link. */
export interface Invitation {
  id: number;
  /** Absent for a reusable link. */
  email?: string | undefined;
  invitedBy: number;
  role: Role;
  /** UNIX seconds. */
  invitedAt: number;
  /** UNIX seconds; absent: it never expires. */
  expiresAt?: number | undefined;
  channelIds: number[];
  groupIds: number[];
  /** Whether the new user is also subscribed to the default channels. */
  withDefaults: boolean;
  /** Whether the inviter is notified when someone joins. */
  notifies: boolean;
  /** Welcome Bot's message, if it differs from the organization's. */
  welcomeText?: string | undefined;
  /** The link's token is derived from this and the deployment's secret, and is looked up by `tokenHash`. */
  tokenSalt: string;
  tokenHash: string;
}

const key = (id: number): Key => ({ pk: "INVITATIONS", sk: padded(id) });
const invitedKey = (email: string) => `INVITED#${email.toLowerCase()}`;
const inviterKey = (userId: number) => `INVITER#${userId}`;

/** Undefined when it does not exist or has expired. 1 read unit. */
export async function findInvitation(id: number): Promise<Invitation | undefined> {
  const found = await getItem<Invitation>(key(id));
  return found && !hasExpired(found) ? found : undefined;
}

const current = (invitations: Invitation[]) => invitations.filter((invitation) => !hasExpired(invitation));

/** All invitations that have not expired; 1 read unit for about 16, and for the lists below half of that. */
export const listInvitations = async () => current(await queryItems<Invitation>({ pk: "INVITATIONS" }));

export const listInvitationsBy = async (userId: number) =>
  current(await queryItems<Invitation>({ index: "gsi2", pk: inviterKey(userId) }));

/** The invitations sent to an e-mail address, ignoring case. */
export const listInvitationsTo = async (email: string) =>
  current(await queryItems<Invitation>({ index: "gsi1", pk: invitedKey(email) }));

export const createInvitation = (invitation: Invitation): Write => {
  const sortKey = padded(invitation.id);
  return create({
    ...key(invitation.id),
    ...(invitation.email !== undefined && { gsi1pk: invitedKey(invitation.email), gsi1sk: sortKey }),
    gsi2pk: inviterKey(invitation.invitedBy),
    gsi2sk: sortKey,
    ...invitation,
  });
};

/** Fails its transaction when the invitation does not exist any more. */
export const deleteInvitation = (id: number): Write => remove(key(id), { exists: true });
