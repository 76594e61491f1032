import { randomUUID } from "node:crypto";
import { batchesOf } from "../../base/batches.ts";
import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest, invitationFailed, type NotInvited } from "../../base/errors.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import { composeMail } from "../../services/mail/compose.ts";
import { sendMailJob } from "../../services/mail/jobs.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { LoggedEvent } from "../../store/log/entry.ts";
import { type Change, type ChangePart, commit } from "../../store/log/log.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import { succeeds } from "../../store/table/conflicts.ts";
import { takeIds } from "../../store/table/counters.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import type { Write } from "../../store/table/writes.ts";
import {
  createInvitation,
  deleteInvitation,
  type Invitation,
  listInvitationsBy,
  listInvitationsTo,
} from "../../store/users/invitations.ts";
import { createLinkToken, deleteLinkToken } from "../../store/users/link-tokens.ts";
import { addRequests } from "../../store/users/request-counts.ts";
import type { User } from "../../store/users/users.ts";
import { noSuchInvitation, type RequestedInvitation } from "./access.ts";
import { countInvitationsTo } from "./addresses.ts";
import { linkOf, newLinkAttributes } from "./links.ts";

interface InvitationTerms extends RequestedInvitation {
  /** null: never. */
  expiresInMinutes: number | null;
  /** Whether those who accept are also subscribed to the default channels. */
  withDefaults: boolean;
  /** Whether the inviter is notified when somebody accepts. */
  notifies: boolean;
}

/**
 * The change that creates an invitation link that anyone can use, and the link; refuses people who have as many as they
 * may, which requests at once may exceed by their number. 12 write units with the count of the day.
 */
export async function createInvitationLink(
  caller: Caller,
  terms: InvitationTerms,
  baseUrl: string,
): Promise<{ change: Change; link: string }> {
  const links = (await listInvitationsBy(caller.id)).filter(({ email }) => email === undefined);
  if (links.length >= creationLimits.invitationLink.max) throw badRequest(tooMany("invitationLink"));
  const invitation = await newInvitation(await takeIds("invitation"), caller.id, terms);
  const record = auditRecord("invitation_link_created", { after: { invite_id: invitation.id, invite_as: terms.role } });
  const change = { writes: [...invitationWrites(invitation), record], events: [invitesChanged(caller.id)] };
  return { change, link: await linkOf(invitation, baseUrl) };
}

/** Invitations in one transaction: each needs three items, with its token and the outbox entry of its mail. */
const batchSize = 30;

/**
 * Invites people by email, in transactions of `batchSize`, except addresses that were sent too many invitations today, which it
 * returns. About 17 write units for each person.
 */
export async function invite(
  inviter: Pick<User, "id" | "fullName">,
  addresses: readonly string[],
  terms: InvitationTerms,
  realm: Realm,
  baseUrl: string,
): Promise<NotInvited[]> {
  await countInvitations(addresses.length);
  const { invited: emails, skipped } = await countInvitationsTo(addresses);
  let nextId = await takeIds("invitation", emails.length);
  for (const batch of batchesOf(emails, batchSize)) {
    const invitations = await Promise.all(
      batch.map(async (email) => ({ ...(await newInvitation(nextId++, inviter.id, terms)), email })),
    );
    const mails = await Promise.all(
      invitations.map((invitation) => invitationMail(inviter.fullName, invitation, realm, baseUrl)),
    );
    await commit({
      writes: [
        ...invitations.flatMap(invitationWrites),
        auditRecord("invitations_sent", { after: { emails: batch, invite_as: terms.role } }),
      ],
      events: [invitesChanged(inviter.id)],
      followUps: mails,
    });
  }
  return skipped;
}

/** Sends the email of an invitation again, with the same link. 11 write units. */
export async function resendInvitation(
  invitation: Invitation,
  inviterName: string,
  realm: Realm,
  baseUrl: string,
): Promise<void> {
  await countInvitations(1);
  await countInvitationsTo([invitation.email ?? ""]);
  await commit({ followUps: [await invitationMail(inviterName, invitation, realm, baseUrl)] });
}

/** Revokes an invitation, so that its link no longer works. 11 write units. */
export const revokeInvitation = (invitation: Invitation): Change => ({
  writes: [
    ...invitationRemoval(invitation).writes,
    auditRecord("invitation_revoked", {
      before: { invite_id: invitation.id, email: invitation.email ?? null, invite_as: invitation.role },
    }),
  ],
  events: invitationRemoval(invitation).events,
  refusal: noSuchInvitation,
});

/** The writes and events that remove an invitation: part of the transaction that accepts it, or one of their own. */
export const invitationRemoval = (invitation: Invitation): ChangePart => ({
  writes: [deleteInvitation(invitation.id), deleteLinkToken(invitation.tokenHash)],
  events: [invitesChanged(invitation.invitedBy)],
});

/** Revokes all invitations by a user who was deactivated. Idempotent. */
export const revokeInvitationsBy = async (userId: number): Promise<void> => revokeAll(await listInvitationsBy(userId));

/** Revokes all invitations to an email address that has an account now. */
export const revokeInvitationsTo = async (email: string): Promise<void> => revokeAll(await listInvitationsTo(email));

async function revokeAll(invitations: readonly Invitation[]): Promise<void> {
  // Somebody else may accept or revoke one of them meanwhile.
  for (const invitation of invitations) await succeeds(commit(invitationRemoval(invitation)));
}

const invitesChanged = (inviterId: number): LoggedEvent => ({
  audience: { kind: "administrators", userIds: [inviterId] },
  event: { type: "invites_changed" },
});

async function newInvitation(id: number, invitedBy: number, terms: InvitationTerms): Promise<Invitation> {
  const invitedAt = nowSeconds();
  const { expiresInMinutes } = terms;
  return {
    id,
    invitedBy,
    role: terms.role,
    invitedAt,
    expiresAt: expiresInMinutes === null ? undefined : invitedAt + expiresInMinutes * 60,
    channelIds: [...terms.channelIds],
    groupIds: [...terms.groupIds],
    withDefaults: terms.withDefaults,
    notifies: terms.notifies,
    welcomeText: terms.welcomeText,
    ...(await newLinkAttributes()),
  };
}

const invitationWrites = (invitation: Invitation): Write[] => [
  createInvitation(invitation),
  createLinkToken({
    hash: invitation.tokenHash,
    grant: { kind: "invitation", invitationId: invitation.id },
    expiresAt: invitation.expiresAt,
  }),
];

async function invitationMail(
  inviterName: string,
  invitation: Invitation,
  realm: Realm,
  baseUrl: string,
): Promise<FollowUp> {
  const content = composeMail({
    subject: `${inviterName} has invited you to join ${realm.name}`,
    paragraphs: [
      "Hi,",
      `${inviterName} has invited you to join ${realm.name}, their team's chat.`,
      { label: `Join ${realm.name}`, url: await linkOf(invitation, baseUrl) },
      ...(invitation.expiresAt === undefined
        ? []
        : [`The link can be used once and is valid until ${dateOf(invitation.expiresAt)}.`]),
      "If you do not know this person, you can ignore this email.",
    ],
  });
  return outboxJob(sendMailJob, { id: randomUUID(), to: invitation.email ?? "", ...content });
}

const dateOf = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Counts invitation emails before they are sent, so that concurrent requests cannot exceed the limit. 1 write unit. */
async function countInvitations(count: number): Promise<void> {
  const [window, now] = [{ name: "invitations", seconds: secondsPerDay }, Date.now() / 1000];
  if (
    count <= creationLimits.invitation.perDay &&
    (await addRequests(window, now, count)) <= creationLimits.invitation.perDay
  )
    return;
  if (count <= creationLimits.invitation.perDay) await addRequests(window, now, -count);
  throw invitationFailed(
    `To prevent spam, at most ${creationLimits.invitation.perDay} invitations can be sent per day. You have reached this limit, so no invitations were sent.`,
    { limitReached: true },
  );
}
