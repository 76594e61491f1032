import { beforeAll, expect, test } from "vitest";
import { accessSignUpGrant, join } from "../../shared/features/joining/joining.ts";
import { resetLinkFor } from "../../shared/features/joining/mails.ts";
import { accessReset, resetPassword } from "../../shared/features/joining/passwords.ts";
import { hashLinkToken, newLinkToken } from "../../shared/services/identity/link-tokens.ts";
import { sweepOutbox } from "../../shared/services/jobs/outbox.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { takeIds } from "../../shared/store/table/counters.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { type Account, findAccount } from "../../shared/store/users/accounts.ts";
import { createInvitation, type Invitation } from "../../shared/store/users/invitations.ts";
import { createLinkToken } from "../../shared/store/users/link-tokens.ts";
import { linkMailedTo, pathOf, signedInCredentials, submit } from "../support/accounts.ts";
import { withFailure } from "../support/faults.ts";
import { noticesTo } from "../support/messages.ts";
import { anAddress } from "../support/people.ts";
import { ageOutbox } from "../support/table/outbox.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, call, type Person, personWithKey } from "../support/world.ts";

/** Functions die while a user signs up or resets a password; the test's own process runs the functions. */

const [password, newPassword] = ["some-have-greatness-thrust-upon", "present-mirth-hath-present-laughter"];
const tokenIn = (path: string) => path.slice(path.lastIndexOf("/") + 1);
let owner: Person;
beforeAll(async () => {
  owner = await aPerson("Orsino", { role: "owner" });
});

const logIn = async (email: string, candidate: string) =>
  (await call("POST", "/fetch_api_key", { username: email, password: candidate })).body as { api_key?: string };

/** The path of an invitation link to a channel for an address, created without a mail. */
async function invitationPath(email: string, channelId: number): Promise<string> {
  const token = newLinkToken();
  const invitation: Invitation = {
    ...{ id: await takeIds("invitation"), email, invitedBy: owner.id, role: 400, invitedAt: 0, notifies: true },
    ...{ channelIds: [channelId], groupIds: [], withDefaults: false, welcomeText: `Welcome ${email}` },
    ...{ tokenSalt: "", tokenHash: hashLinkToken(token) },
  };
  const grant = { kind: "invitation", invitationId: invitation.id } as const;
  await transact([createInvitation(invitation), createLinkToken({ hash: invitation.tokenHash, grant })]);
  return `/join/${token}`;
}

/** Sends the jobs that a dead function left in the outbox, as the sweeper does. */
async function sendOutboxJobs(bodyPattern: RegExp) {
  await ageOutbox(({ body }) => bodyPattern.test(body));
  await sweepOutbox();
}

test.each(["before", "afterwards"] as const)(
  "an account is complete or does not exist, and the invitation is valid or used, whichever call fails %s it is made",
  async (when) => {
    owner = await aPerson("Orsino", { role: "owner" });
    const court = await aChannel("court", [owner]);
    const realm = await loadRealm();
    for (let nth = 1; ; nth++) {
      const email = anAddress("viola");
      const path = await invitationPath(email, court.id);
      const signUpGrant = await accessSignUpGrant(tokenIn(path), realm);

      const { reached } = await withFailure(nth, when, () =>
        join(signUpGrant, { email, fullName: "Viola", channelGroups: [], sourceIp: "127.0.0.1", password }, realm),
      );
      const account = await findAccount(email);

      const retryReply = await submit(path, { full_name: "Viola", password });
      if (account) expect(retryReply.status).toBe(404);
      else signedInCredentials(retryReply);
      const { api_key: apiKey = "" } = await logIn(email, password);
      const viola = personWithKey(0, email, "Viola", apiKey);
      await sendOutboxJobs(new RegExp(`"user_id":${(await findAccount(email))?.userId}\\b`));
      await eventually(async () =>
        (await viola.call("GET", "/users/me/subscriptions")).body.subscriptions?.some(
          ({ stream_id }: any) => stream_id === court.id,
        ),
      );
      expect((await noticesTo(viola, 1)).filter((text) => text === `Welcome ${email}`)).toHaveLength(1);
      const notices = await eventually(async () => {
        const texts = (await noticesTo(owner, nth)).filter((text) => text.includes("accepted your invitation"));
        return texts.length >= nth && texts;
      });
      expect(new Set(notices).size).toBe(notices.length);
      if (!reached) break;
      // The request for notices returns at most fifty.
      expect(nth).toBeLessThan(50);
    }
  },
  240_000,
);

test.each(["before", "afterwards"] as const)(
  "the password is the former or the new one, and no link works twice, whichever call fails %s it is made",
  async (when) => {
    const realm = await loadRealm();
    for (let nth = 1; ; nth++) {
      const toby = await aPerson("Toby", { password });
      const { token, write } = resetLinkFor((await findAccount(toby.email)) as Account);
      await transact([write]);
      const path = `/password-reset/${token}`;
      const reset = await accessReset(tokenIn(path), realm);

      const { reached } = await withFailure(nth, when, () => resetPassword(reset, newPassword, true, "127.0.0.1"));

      const isReset = (await logIn(toby.email, newPassword)).api_key !== undefined;
      expect((await logIn(toby.email, password)).api_key !== undefined).toBe(!isReset);
      expect((await toby.call("GET", "/users/me")).status).toBe(isReset ? 401 : 200);
      expect((await submit(path, { password: newPassword })).status).toBe(isReset ? 404 : 200);
      expect((await submit(path, { password })).status).toBe(404);
      if (!reached) break;
      expect(nth).toBeLessThan(20);
    }
  },
  120_000,
);

test("two concurrent sign-ups with one address make one account", async () => {
  const { invite_link } = (await owner.call("POST", "/invites/multiuse")).body;
  const email = anAddress("cesario");
  await submit(pathOf(invite_link), { email });
  await submit(pathOf(invite_link), { email });
  const link = await linkMailedTo(email, "Join ");

  const replies = await Promise.all(
    [1, 2, 3].map((number) => submit(link, { full_name: `Cesario ${number}`, password })),
  );

  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  const users = (await owner.call("GET", "/users")).body.members.filter((user: any) => user.delivery_email === email);
  expect(users).toHaveLength(1);
});
