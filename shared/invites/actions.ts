import { randomUUID } from "node:crypto";
import { invitationFailed } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { type OutboxJob, outboxJob } from "../jobs/outbox.ts";
import { limits } from "../limits.ts";
import { sendMailJob } from "../mail/jobs.ts";
import { composed } from "../mail/letter.ts";
import type { Realm } from "../organization/access.ts";
import type { LoggedEvent } from "../store/log/entry.ts";
import { commit } from "../store/log/log.ts";
import { takeIds } from "../store/table/counters.ts";
import { ConditionFailed } from "../store/table/transactions.ts";
import type { Write } from "../store/table/writes.ts";
import {
  createInvitation,
  deleteInvitation,
  type Invitation,
  listInvitationsBy,
  listInvitationsTo,
} from "../store/users/invitations.ts";
import { createLinkToken, deleteLinkToken } from "../store/users/link-tokens.ts";
import { addRequests } from "../store/users/request-counts.ts";
import type { User } from "../store/users/users.ts";
import { noSuchInvitation, type WantedInvitation } from "./access.ts";
import { linkOf, newLink } from "./links.ts";

interface Terms extends WantedInvitation {
  /** null: never. */
  expiresInMinutes: number | null;
  withDefaults: boolean;
  notifies: boolean;
}

/** Makes a link by which anybody may join, and returns it. 9 write units. */
export async function createInvitationLink(caller: Caller, terms: Terms, baseUrl: string): Promise<string> {
  const invitation = await newInvitation(await takeIds("invitation"), caller.id, terms);
  await commit({ events: 1 }, () => ({
    writes: invitationWrites(invitation),
    events: [invitesChanged(caller.id)],
    result: undefined,
  }));
  return linkOf(invitation, baseUrl);
}

/** Invitations of one transaction, each with its token and its mail. */
const batchSize = 30;

/** Invites people by mail, 30 to a transaction with its event; about 14 write units for each. */
export async function invite(
  inviter: Pick<User, "id" | "fullName">,
  emails: readonly string[],
  terms: Terms,
  realm: Realm,
  baseUrl: string,
): Promise<void> {
  await countInvitations(emails.length);
  const firstId = await takeIds("invitation", emails.length);
  for (let start = 0; start < emails.length; start += batchSize) {
    const invitations = await Promise.all(
      emails
        .slice(start, start + batchSize)
        .map(async (email, index) => ({ ...(await newInvitation(firstId + start + index, inviter.id, terms)), email })),
    );
    const mails = await Promise.all(
      invitations.map((invitation) => invitationMail(inviter.fullName, invitation, realm, baseUrl)),
    );
    await commit({ events: 1 }, () => ({
      writes: [...invitations.flatMap(invitationWrites), ...mails.map(({ write }) => write)],
      events: [invitesChanged(inviter.id)],
      result: undefined,
    }));
    await Promise.all(mails.map((mail) => mail.send()));
  }
}

/** Mails an invitation again, with the same link. 10 write units. */
export async function resendInvitation(
  invitation: Invitation,
  inviterName: string,
  realm: Realm,
  baseUrl: string,
): Promise<void> {
  await countInvitations(1);
  const mail = await invitationMail(inviterName, invitation, realm, baseUrl);
  await commit({ events: 0 }, () => ({ writes: [mail.write], events: [], result: undefined }));
  await mail.send();
}

/** Takes an invitation back: its link opens nothing from then on. 9 write units. */
export async function revokeInvitation(invitation: Invitation): Promise<void> {
  try {
    await commit({ events: 1 }, () => ({ ...endOf(invitation), result: undefined }));
  } catch (error) {
    throw error instanceof ConditionFailed ? noSuchInvitation() : error;
  }
}

/** What ends an invitation, in the transaction of what it led to or in one of its own. */
export const endOf = (invitation: Invitation): { writes: Write[]; events: LoggedEvent[] } => ({
  writes: [deleteInvitation(invitation.id), deleteLinkToken(invitation.tokenHash)],
  events: [invitesChanged(invitation.invitedBy)],
});

/** Takes back what somebody has made who is deactivated; doing it again changes nothing. */
export const endInvitationsBy = async (userId: number): Promise<void> => endAll(await listInvitationsBy(userId));

/** Takes back what was mailed to an address that has an account now. */
export const endInvitationsTo = async (email: string): Promise<void> => endAll(await listInvitationsTo(email));

async function endAll(invitations: readonly Invitation[]): Promise<void> {
  for (const invitation of invitations)
    await commit({ events: 1 }, () => ({ ...endOf(invitation), result: undefined })).catch((error: unknown) => {
      // It has been accepted, or taken back by somebody else.
      if (!(error instanceof ConditionFailed)) throw error;
    });
}

export const invitesChanged = (inviterId: number): LoggedEvent => ({
  audience: { kind: "administrators", userIds: [inviterId] },
  event: { type: "invites_changed" },
});

async function newInvitation(id: number, invitedBy: number, terms: Terms): Promise<Invitation> {
  const invitedAt = Math.floor(Date.now() / 1000);
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
    ...(await newLink()),
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
): Promise<OutboxJob> {
  const letter = composed({
    subject: `${inviterName} has invited you to join ${realm.name}`,
    paragraphs: [
      "Hi,",
      `${inviterName} would like you to join ${realm.name}, where their team writes to each other.`,
      { label: `Join ${realm.name}`, url: await linkOf(invitation, baseUrl) },
      ...(invitation.expiresAt === undefined ? [] : [`The link is good until ${dateOf(invitation.expiresAt)}, once.`]),
      "If you do not know who that is, there is nothing that you need to do.",
    ],
  });
  return outboxJob(sendMailJob, { id: randomUUID(), to: invitation.email ?? "", ...letter });
}

const dateOf = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

const aDay = 86_400;

/** Counts mails of invitations before they are sent: so many at once get no more through. 1 write unit. */
async function countInvitations(count: number): Promise<void> {
  const [window, now] = [{ name: "invitations", seconds: aDay }, Date.now() / 1000];
  if (count <= limits.invitationsPerDay && (await addRequests(window, now, count)) <= limits.invitationsPerDay) return;
  if (count <= limits.invitationsPerDay) await addRequests(window, now, -count);
  throw invitationFailed(
    `To protect people from unwanted mail, at most ${limits.invitationsPerDay} invitations can be mailed in one day. Because you have reached the limit, no invitations were sent.`,
    { limitReached: true },
  );
}
