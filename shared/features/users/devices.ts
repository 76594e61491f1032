import { createHmac, timingSafeEqual } from "node:crypto";
import { fleetSecret } from "../../base/aws/secret.ts";
import { linkUrl } from "../../base/environment.ts";
import { badRequest, notFound, unauthorized } from "../../base/errors.ts";
import { bool, int, nullable, strictObject, text, type Value } from "../../base/schema/params.ts";
import { checkName } from "../../base/schema/text.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { accessAccountByPassword } from "../../core/users/login.ts";
import { loginMail } from "../../core/users/login-mail.ts";
import { throttle } from "../../core/users/throttle.ts";
import { removeSignedOutPhones } from "../../messaging/mobile-push/removal.ts";
import type { HttpRequest } from "../../services/http/event.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { type Program, programOf } from "../../services/identity/device-names.ts";
import { hashOfNetwork } from "../../services/identity/network-hash.ts";
import {
  checkIsNoAppPassword,
  endSession,
  type FollowUpsOf,
  isAppPassword,
  type KnownSession,
  listSessions,
  noFurtherAppPassword,
  type Proven,
  type Session,
  type SessionLimits,
  sessionIdOf,
  startSession,
} from "../../services/identity/sessions.ts";
import type { Realm } from "../../services/organization/access.ts";
import { type Account, findAccount } from "../../store/users/accounts.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import { currentKey } from "./key-actions.ts";
import { checkNeedsNoSecondFactor, isSecondFactorRequired } from "./second-factor-check.ts";

/** The devices on which a person is signed in, and the app passwords of their programs. */

const maxAppPasswordNameLength = 60;

/** Starts a session on the device that sends a request. */
export const startSessionFor = async (
  person: Proven,
  program: Program,
  { sourceIp }: HttpRequest,
  { settings }: Realm,
  { followUpsOf, proof }: Pick<Parameters<typeof startSession>[1], "followUpsOf" | "proof"> = {},
) =>
  startSession(person, {
    followUpsOf,
    proof,
    program,
    networkHash: await networkHashFor(person.userId, sourceIp),
    limits: sessionLimitsOf(settings),
  });

export const sessionLimitsOf = (settings: Realm["settings"]): SessionLimits => ({
  ageSeconds: settings.session_age_limit_seconds,
  idleSeconds: settings.session_idle_limit_seconds,
});

const networkHashFor = (userId: number, sourceIp: string) => hashOfNetwork(`user ${userId}`, sourceIp);

/** The program that sends a request. */
export const programOfRequest = ({ headers }: HttpRequest): Program => programOf(headers["user-agent"]);

interface Options {
  /** The identity provider's name; absent: a password. */
  method?: string;
  /** Absent: the one that sends the request. */
  program?: Program;
  /** Of the code that was given besides the password; absent: none was. */
  proof?: Parameters<typeof startSession>[1]["proof"];
  /** Whether the password suffices, as where nobody gives one. */
  skipsSecondFactor?: boolean;
}

/**
 * Signs somebody in who has proven who they are: returns the key of the device that sends the request, and tells them by mail if it is
 * new. A bot has no devices, but its API key. An identity provider asks for a second factor itself.
 */
export async function signIn(
  account: Account,
  request: HttpRequest,
  realm: Realm,
  { method, program = programOfRequest(request), proof, skipsSecondFactor = method !== undefined }: Options = {},
): Promise<string> {
  if (account.botType !== undefined) return currentKey(account);
  if (!skipsSecondFactor && !proof) await checkNeedsNoSecondFactor(account, realm);
  const { email, userId, keyHash, passwordHash, secondFactor } = account;
  const proven = { email, userId, keyHash, ...(method === undefined && { passwordHash, secondFactor }) };
  const followUpsOf = mailAboutSession(account, { method, program, isAppPassword: false }, request, realm);
  const { apiKey, hasEvicted } = await startSessionFor(proven, program, request, realm, { followUpsOf, proof });
  if (hasEvicted) await removeSignedOutPhones({ id: userId, email });
  return apiKey;
}

/** Mails the owner in the transaction that starts the session, so that nobody gets a key of which the owner is not told. */
const mailAboutSession =
  (
    account: Account,
    about: Omit<Parameters<typeof loginMail>[1], "sourceIp" | "endUrl">,
    { sourceIp, baseUrl }: HttpRequest,
    realm: Realm,
  ): FollowUpsOf =>
  async (session) => {
    const endUrl = await endLinkOf(account.userId, session, linkUrl(baseUrl));
    const mail = await loginMail(account, { ...about, sourceIp, endUrl }, realm);
    return mail ? [mail] : [];
  };

/**
 * Makes an app password: a key for a program, which is not signed in by a password and a second factor. A stolen key is not enough, where
 * there is a password, and it is no way around a second factor that the organization requires.
 */
export async function makeAppPassword(
  caller: Caller,
  { name: text, password }: { name: string; password?: string | undefined },
  request: HttpRequest,
  realm: Realm,
): Promise<{ id: string; app_password: string }> {
  const name = checkName(text, "name", maxAppPasswordNameLength);
  await checkIsNoAppPassword(caller, noFurtherAppPassword);
  const account = await accessOwnAccount(caller, password, request, realm);
  const { email, userId, keyHash, passwordHash, secondFactor, identity } = account;
  if (isSecondFactorRequired(realm) && secondFactor === undefined && identity === undefined)
    throw badRequest("Your organization requires a second factor. Set one up before you create an app password.");
  const program = { client: name, system: "", isPersonal: true };
  const { apiKey, session, hasEvicted } = await startSession(
    { email, userId, keyHash, ...(passwordHash !== undefined && { passwordHash, secondFactor }) },
    {
      appPasswordBy: caller.keyHash ?? "",
      program,
      networkHash: await networkHashFor(userId, request.sourceIp),
      // Programs run for years, like those with the API key.
      limits: { ageSeconds: null, idleSeconds: null },
      followUpsOf: mailAboutSession(account, { program, isAppPassword: true }, request, realm),
    },
  );
  if (hasEvicted) await removeSignedOutPhones(caller);
  return { id: sessionIdOf(session), app_password: apiKey };
}

/** The caller's account, for its password if it has one with which its owner may sign in. */
async function accessOwnAccount(
  caller: Caller,
  password: string | undefined,
  { sourceIp }: HttpRequest,
  realm: Realm,
): Promise<Account> {
  const account = await findAccount(caller.email);
  if (!account?.active || account.userId !== caller.id) throw unauthorized();
  if (account.passwordHash === undefined || !realm.settings.password_auth_enabled) return account;
  if (password === undefined) throw badRequest("Enter your password to create an app password.");
  return throttle(caller.email, sourceIp, () => accessAccountByPassword(caller.email, password, realm));
}

/** Signs somebody in who has just got or changed their password at an address: returns what the web client needs. */
export async function signInAt(
  email: string,
  request: HttpRequest,
  realm: Realm,
): Promise<{ email: string; apiKey: string }> {
  const account = await findAccount(email);
  if (!account?.active) throw unauthorized();
  return { email: account.email, apiKey: await signIn(account, request, realm) };
}

/** A device as its owner sees it. */
export const deviceObject = strictObject({
  id: text(),
  client: text(),
  system: text(),
  is_app_password: bool(),
  date_created: nullable(int()),
  last_used: nullable(int()),
  ends_at: nullable(int()),
  is_current: bool(),
  is_in_same_network: bool(),
});

/** The caller's devices, those first that were used last. */
export async function devicesOf(caller: Caller, { sourceIp }: HttpRequest): Promise<Value<typeof deviceObject>[]> {
  const [sessions, network] = await Promise.all([
    listSessions(caller.email, caller.id),
    networkHashFor(caller.id, sourceIp),
  ]);
  return sessions.map((session) => ({
    id: sessionIdOf(session),
    client: session.device?.client ?? "",
    system: session.device?.system ?? "",
    is_app_password: isAppPassword(session),
    date_created: session.device?.createdAt ?? null,
    last_used: session.usedAt ?? null,
    ends_at: Number.isFinite(session.expiresAt) ? session.expiresAt : null,
    is_current: session.keyHash === caller.keyHash,
    is_in_same_network: session.device?.networkHash === network,
  }));
}

type Owner = Pick<User, "id" | "email">;

const findDevice = async ({ id, email }: Owner, deviceId: string): Promise<KnownSession | undefined> =>
  (await listSessions(email, id)).find((session) => sessionIdOf(session) === deviceId);

/** Signs out a device of somebody; false if it is signed out already. */
async function endDevice(owner: Owner, deviceId: string): Promise<boolean> {
  const session = await findDevice(owner, deviceId);
  if (session) await endSession(owner.email, session);
  // Also after a request that died before this.
  await removeSignedOutPhones(owner);
  return session !== undefined;
}

/** Signs out the caller's device that a request names. */
export async function endOwnDevice(caller: Caller, deviceId: string): Promise<void> {
  const isItself = caller.session !== undefined && sessionIdOf(caller.session) === deviceId;
  if (!isItself) await checkIsNoAppPassword(caller, "An app password can end only itself. Sign in with your password.");
  if (!(await endDevice(caller, deviceId))) throw notFound("This device is not signed in.");
}

const linkDays = 30;

/** The address of the page on which whoever has a mail about a new device signs that device out. */
async function endLinkOf(userId: number, session: Session, baseUrl: string): Promise<string> {
  const claim = `${userId}.${sessionIdOf(session)}.${nowSeconds() + linkDays * secondsPerDay}`;
  return `${baseUrl}/sign-out-device/${claim}.${(await signatureOf(claim)).toString("base64url")}`;
}

const signatureOf = async (claim: string): Promise<Buffer> =>
  createHmac("sha256", await fleetSecret())
    .update(`link to sign out a device ${claim}`)
    .digest();

/** What a link's token names: a person's device, undefined if it is signed out. Throws a 404 for one that is not valid. */
export async function accessDeviceLink(token: string): Promise<{ owner: User; device: KnownSession | undefined }> {
  const [, claim = "", userId = "", deviceId = "", expiresAt = "", signature = ""] =
    /^((\d{1,15})\.([0-9a-f]{16})\.(\d{1,15}))\.([\w-]{43})$/.exec(token) ?? [];
  const isOurs =
    Number(expiresAt) >= nowSeconds() && timingSafeEqual(Buffer.from(signature, "base64url"), await signatureOf(claim));
  const [owner] = isOurs ? await findUsers([Number(userId)]) : [];
  if (!owner?.active) throw notFound("This link is not valid, or has expired.");
  return { owner, device: await findDevice(owner, deviceId) };
}

/** Signs out the device that a link names. Idempotent. */
export async function endLinkedDevice(token: string): Promise<void> {
  const { owner, device } = await accessDeviceLink(token);
  if (device) await endDevice(owner, sessionIdOf(device));
  // Also after a request that died before this.
  else await removeSignedOutPhones(owner);
}
