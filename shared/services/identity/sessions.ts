import { actor } from "../../base/actor.ts";
import { fleetSecret } from "../../base/aws/secret.ts";
import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest, unauthorized } from "../../base/errors.ts";
import { describeError } from "../../base/observability/describe-error.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { auditRecord, hourlyRecord } from "../../store/organization/audit-log.ts";
import { bumpKeysVersion } from "../../store/organization/organization.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import { transact } from "../../store/table/transactions.ts";
import type { Write } from "../../store/table/writes.ts";
import { type Account, findAccount, noteSessionUses, setSessions } from "../../store/users/accounts.ts";
import { createDevice, type Device, deleteDevice, findDevice, listDevices } from "../../store/users/devices.ts";
import { deriveApiKey, hashApiKey, keyMatches, newKeySalt } from "./api-keys.ts";
import { nameOfProgram, type Program } from "./device-names.ts";

/**
 * Whoever signs in on a device gets a key of its own, that of a session, which is accepted like the account's API key until the
 * session ends: when the device signs out or is signed out, at the age or idleness that the organization sets, and with a new API key.
 */
export interface Session {
  /** SHA-256 of the session's key, in hex. */
  keyHash: string;
  /** UNIX seconds; infinite where the organization does not limit the age of sessions. */
  endsAt: number;
  /** How long it lasts without being used, in seconds; infinite where the organization does not limit that. */
  idleSeconds: number;
}

/** How many sessions an account has at most: the account is read by each request. */
const { max: maxSessions } = creationLimits.session;

/** In the place of the end of a session that has none. */
const never = "never";

/** In the account, as texts. */
export const toStoredSession = ({ endsAt, keyHash, idleSeconds }: Session): string =>
  [Number.isFinite(endsAt) ? endsAt : never, keyHash, ...(Number.isFinite(idleSeconds) ? [idleSeconds] : [])].join(" ");

/** The part of an account that says which sessions it has. */
type HasSessions = Pick<Account, "sessions" | "sessionUses">;

const storedSessions = ({ sessions = new Set() }: HasSessions): Session[] =>
  [...sessions].sort().map((text) => {
    const [end = "", keyHash = "", idle = never] = text.split(" ");
    const secondsOf = (number: string) => (number === never ? Number.POSITIVE_INFINITY : Number(number));
    return { keyHash, endsAt: secondsOf(end), idleSeconds: secondsOf(idle) };
  });

/** When a session ends if it is not used again. Idleness begins with the end of the hour in which it was used. */
const endOf = ({ keyHash, endsAt, idleSeconds }: Session, uses: Map<string, number>): number =>
  Number.isFinite(idleSeconds)
    ? Math.min(endsAt, ((uses.get(sessionIdOf({ keyHash })) ?? 0) + 1) * 3600 + idleSeconds)
    : endsAt;

/** The account's sessions that have not ended. */
function currentSessions(account: HasSessions): Session[] {
  const uses = usesOf(account);
  return storedSessions(account).filter((session) => endOf(session, uses) > nowSeconds());
}

/** The account's session with a key's hash, unless it has ended. */
export const findSession = (account: HasSessions, keyHash: string): Session | undefined =>
  currentSessions(account).find((session) => session.keyHash === keyHash);

/** Whether the session with a key's hash has reached its limit of age or idleness. Unknown once the account's sessions have changed. */
export const hasReachedLimit = (account: HasSessions, keyHash: string): boolean =>
  !findSession(account, keyHash) && storedSessions(account).some((session) => session.keyHash === keyHash);

/** The hashes of the keys that an account accepts: of its API key, and of its sessions. */
export const acceptedKeyHashes = (account: Pick<Account, "keyHash"> & HasSessions): string[] => [
  account.keyHash,
  ...currentSessions(account).map(({ keyHash }) => keyHash),
];

/** What names a session to its owner, and gives nothing away of its key. */
export const sessionIdOf = ({ keyHash }: Pick<Session, "keyHash">): string => keyHash.slice(0, 16);

/** When the account's sessions were last used, in UNIX hours, by their IDs. */
function usesOf({ sessionUses = new Set() }: Pick<Account, "sessionUses">): Map<string, number> {
  return new Map([...sessionUses].map((text) => [text.split(" ")[0] ?? "", Number(text.split(" ")[1])]));
}

const currentHour = () => Math.floor(nowSeconds() / 3600);

/** The uses of sessions, as the account stores them: in the current hour that of `used`, and the former ones of the others. */
const storedUses = (account: Account, sessions: readonly Session[], used?: Session): Set<string> => {
  const uses = usesOf(account);
  // Another function's clock may be ahead.
  if (used) uses.set(sessionIdOf(used), Math.max(uses.get(sessionIdOf(used)) ?? 0, currentHour()));
  const ids = sessions.map(sessionIdOf).filter((id) => uses.has(id));
  return new Set(ids.map((id) => `${id} ${uses.get(id)}`));
};

/**
 * Notes that a session is used, unless that was noted in this hour. At most once in an hour 1 write unit for each KB of the account.
 * A failure does not fail the request, and the next one tries again.
 */
export async function noteUse(account: Account, session: Session): Promise<void> {
  if ((usesOf(account).get(sessionIdOf(session)) ?? 0) >= currentHour()) return;
  try {
    await noteSessionUses(account, storedUses(account, currentSessions(account), session));
  } catch (error) {
    console.error(JSON.stringify({ sessionUse: "not noted", error: describeError(error) }));
  }
}

/** A session as its owner sees it; without `device`, it began before these were recorded. */
export interface KnownSession extends Session {
  device: Device | undefined;
  /** UNIX seconds, up to an hour out of date; undefined: not known. */
  usedAt: number | undefined;
  /** UNIX seconds: when it ends if it is not used again; infinite: it does not. */
  expiresAt: number;
}

/** The account's sessions with their devices, those last that were used last; and devices without a session. */
async function loadSessions(email: string, userId: number) {
  // The account comes second: a device that has no session then will never have one again.
  const devices = await withConsistentReads(() => listDevices(userId));
  const account = await findAccount(email);
  if (account?.userId !== userId || !account.active) throw unauthorized();
  const uses = usesOf(account);
  const sessions = currentSessions(account).map((session): KnownSession => {
    const device = devices.find(({ keyHash }) => keyHash === session.keyHash);
    const hour = uses.get(sessionIdOf(session));
    const usedAt = hour === undefined ? device?.createdAt : Math.max(hour * 3600, device?.createdAt ?? 0);
    return { ...session, device, usedAt, expiresAt: endOf(session, uses) };
  });
  sessions.sort((a, b) => (a.usedAt ?? 0) - (b.usedAt ?? 0) || (a.device?.createdAt ?? 0) - (b.device?.createdAt ?? 0));
  const ended = devices.filter(({ keyHash }) => !sessions.some((session) => session.keyHash === keyHash));
  return { account, sessions, ended };
}

/** The account's sessions, those first that were used last. 2 to 3 read units in two stages. */
export const listSessions = async (email: string, userId: number): Promise<KnownSession[]> =>
  (await loadSessions(email, userId)).sessions.reverse();

/** How many devices without a session one sign-in deletes. */
const maxDeleted = 50;

/** Who has proven who they are, by the key or password that they had then. */
export interface Proven extends Pick<Account, "email" | "userId" | "keyHash"> {
  /** Of who gave a password. */
  passwordHash?: string | undefined;
  /** Of who gave a password, and a code if there is a second factor. */
  secondFactor?: string | undefined;
}

/** The organization's limits of sessions, in seconds; null: none. */
export interface SessionLimits {
  ageSeconds: number | null;
  idleSeconds: number | null;
}

/** The end and idleness of a session that starts now. */
export const limitsFromNow = ({ ageSeconds, idleSeconds }: SessionLimits): Omit<Session, "keyHash"> => ({
  endsAt: ageSeconds === null ? Number.POSITIVE_INFINITY : nowSeconds() + ageSeconds,
  idleSeconds: idleSeconds ?? Number.POSITIVE_INFINITY,
});

/** What starting a session causes, such as a mail about it. */
export type FollowUpsOf = (session: Session) => Promise<readonly FollowUp[]>;

interface SignIn {
  /** The hash of the key with which its owner makes an app password, which no key of a device replaces; absent: a device. */
  appPasswordBy?: string | undefined;
  program: Program;
  networkHash: string;
  limits: SessionLimits;
  followUpsOf?: FollowUpsOf | undefined;
  /** What uses up the code that was given, in the same transaction, and what else follows from it. */
  proof?: { writes: readonly Write[]; followUps: readonly FollowUp[] } | undefined;
}

/**
 * Starts a session, and returns its key; a program that signs in again from the same network gets the key that it has, so that a
 * script does not sign out the devices of its owner. An account with the maximum of sessions loses one of the program that has most of
 * them (`hasEvicted`). Refuses who had proven who they are before all sessions were ended, or with a former password. 2 to 3 read
 * units, 2 write units for each KB of the account, and 6 more, or none for a session that goes on.
 */
export const startSession = (
  { email, userId, keyHash, passwordHash, secondFactor }: Proven,
  { appPasswordBy, program, networkHash, limits, followUpsOf = async () => [], proof }: SignIn,
): Promise<{ apiKey: string; session: Session; hasEvicted: boolean }> =>
  retryOnConflict(async () => {
    const { account, sessions, ended } = await loadSessions(email, userId);
    const isFormer =
      account.keyHash !== keyHash ||
      (passwordHash !== undefined && (account.passwordHash !== passwordHash || account.secondFactor !== secondFactor));
    if (isFormer) throw unauthorized();
    if (appPasswordBy !== undefined) checkMayMakeAppPassword(account, sessions, appPasswordBy);
    const secret = await fleetSecret();
    const { client, system, isPersonal } = program;
    const now = nowSeconds();
    const { endsAt, idleSeconds } = limitsFromNow(limits);
    const isSame = ({ device, endsAt: end, idleSeconds: idle }: KnownSession) =>
      device?.kind === undefined &&
      idle === idleSeconds &&
      device?.client === client &&
      device.system === system &&
      device.networkHash === networkHash &&
      // Near its end, a session is of little use to whoever signs in now; longer than now allowed, it must not go on.
      (end === endsAt || (end < endsAt && end > now + (limits.ageSeconds ?? Number.POSITIVE_INFINITY) / 2));
    const same = isPersonal ? undefined : sessions.find(isSame);
    if (same?.device) {
      const apiKey = deriveApiKey(secret, same.device.keySalt);
      // It does not match after the deployment's secret was replaced.
      if (keyMatches(apiKey, same.keyHash)) {
        if (proof && proof.writes.length > 0) await transact(proof.writes, { followUps: proof.followUps });
        await noteUse(account, same);
        return { apiKey, session: same, hasEvicted: false };
      }
    }
    const keySalt = newKeySalt();
    const apiKey = deriveApiKey(secret, keySalt);
    const session: Session = { keyHash: hashApiKey(apiKey), endsAt, idleSeconds };
    const evicted = sessions.length < maxSessions ? [] : [leastMissed(sessions)];
    const signIns = signInsWith(account, 1);
    const clientName = nameOfProgram(program);
    const after = [...sessions.filter((one) => !evicted.includes(one)), session];
    const writes = [
      ...replaceSessions(account, sessions, after, { used: session, signIns }),
      createDevice({
        userId,
        keyHash: session.keyHash,
        keySalt,
        kind: appPasswordBy === undefined ? undefined : "app",
        client,
        system,
        networkHash,
        createdAt: now,
      }),
      ...ended.slice(0, maxDeleted).map(deleteDevice),
      appPasswordBy !== undefined
        ? auditRecord("app_password_created", { userId, name: client, after: { device_id: sessionIdOf(session) } })
        : signIns.count > maxRecordsPerDay
          ? hourlyRecord("signed_in", userId, clientName)
          : actor.run({ kind: "user", userId, client: clientName, device: sessionIdOf(session) }, () =>
              auditRecord("signed_in", { userId }),
            ),
      ...evicted.map((one) => signedOut(userId, one, signIns)),
      ...(proof?.writes ?? []),
    ];
    await transact(writes, { followUps: [...(await followUpsOf(session)), ...(proof?.followUps ?? [])] });
    return { apiKey, session, hasEvicted: evicted.length > 0 };
  });

/**
 * How many of an account's sign-ins in a day have audit records of their own, and so the ends of their sessions. Others are counted in
 * each hour, so that whoever signs in over and over does not fill the log.
 */
const maxRecordsPerDay = 50;

/** The account's sign-ins today, and so many more. */
function signInsWith({ signIns }: Account, more: number): { day: number; count: number } {
  const day = Math.floor(nowSeconds() / secondsPerDay);
  return { day, count: (signIns?.day === day ? signIns.count : 0) + more };
}

const signedOut = (userId: number, session: Session, signIns: { count: number }): Write =>
  signIns.count > maxRecordsPerDay
    ? hourlyRecord("signed_out", userId, undefined)
    : auditRecord("signed_out", { userId, before: { device_id: sessionIdOf(session) } });

export const isAppPassword = ({ device }: Pick<KnownSession, "device">): boolean => device?.kind === "app";

export const noFurtherAppPassword = "An app password cannot create another one.";

/**
 * Refuses an app password: whoever finds the one of a program must not get access that outlasts its end, nor take that of its owner. 1
 * read unit for the key of a session.
 */
export async function checkIsNoAppPassword(
  { id, session }: { id: number; session?: Session | undefined },
  problem = "An app password cannot do this. Sign in with your password.",
): Promise<void> {
  // A key that is refused a moment later must not be accepted now.
  const device = session && (await withConsistentReads(() => findDevice({ userId: id, keyHash: session.keyHash })));
  if (isAppPassword({ device })) throw badRequest(problem);
}

/** Refuses a key that was ended meanwhile, or is an app password itself: who has found one must not keep access by another. */
function checkMayMakeAppPassword(account: Account, sessions: readonly KnownSession[], by: string): void {
  if (!acceptedKeyHashes(account).includes(by)) throw unauthorized();
  const appPasswords = sessions.filter(isAppPassword);
  if (appPasswords.some(({ keyHash }) => keyHash === by)) throw badRequest(noFurtherAppPassword);
  if (appPasswords.length >= creationLimits.appPassword.max) throw badRequest(tooMany("appPassword"));
}

/** Of the program with most sessions, the one that was used before all others. `all` are in that order. */
function leastMissed(all: readonly KnownSession[]): KnownSession {
  const sessions = all.filter((session) => !isAppPassword(session));
  const groups = Object.groupBy(sessions, ({ device }) => `${device?.client} ${device?.system}`);
  const largest = Object.values(groups).reduce((a, b) => ((b?.length ?? 0) > (a?.length ?? 0) ? b : a));
  return (largest ?? sessions)[0] as KnownSession;
}

/** The writes by which an account has other sessions than before, and devices that are signed out are forgotten. */
function replaceSessions(
  account: Account,
  before: readonly Session[],
  after: readonly Session[],
  { used, signIns }: { used?: Session | undefined; signIns?: Account["signIns"] } = {},
): Write[] {
  const gone = before.filter(({ keyHash }) => !after.some((session) => session.keyHash === keyHash));
  const isShortened = before.some(({ keyHash, endsAt, idleSeconds }) =>
    after.some(
      (session) => session.keyHash === keyHash && (session.endsAt < endsAt || session.idleSeconds < idleSeconds),
    ),
  );
  const stored = new Set(after.map(toStoredSession));
  return [
    setSessions(account, stored, storedUses(account, after, used), signIns),
    ...gone.map(({ keyHash }) => deleteDevice({ userId: account.userId, keyHash })),
    ...(gone.length > 0 || isShortened ? [bumpKeysVersion()] : []),
  ];
}

/** Ends a session. Idempotent. At the cost of starting one, and 2 write units for each KB of the organization. */
export const endSession = (email: string, { keyHash }: Pick<Session, "keyHash">): Promise<void> =>
  changeSessions(email, (sessions) => sessions.filter((session) => session.keyHash !== keyHash));

/** Gives a session limits that are no longer than its own, and returns it. It is being used. */
export async function limitSession(
  email: string,
  session: Session,
  { endsAt, idleSeconds }: Omit<Session, "keyHash">,
): Promise<Session> {
  const limited = (one: Session): Session => ({
    keyHash: one.keyHash,
    endsAt: Math.min(one.endsAt, endsAt),
    idleSeconds: Math.min(one.idleSeconds, idleSeconds),
  });
  const after = limited(session);
  if (after.endsAt < session.endsAt || after.idleSeconds < session.idleSeconds) {
    const change = (one: Session) => (one.keyHash === session.keyHash ? limited(one) : one);
    await changeSessions(email, (sessions) => sessions.map(change), session);
  }
  return after;
}

const changeSessions = (email: string, change: (sessions: Session[]) => Session[], used?: Session): Promise<void> =>
  retryOnConflict(async () => {
    const account = await findAccount(email);
    if (!account?.active) throw unauthorized();
    const before = currentSessions(account);
    const after = change(before);
    const gone = before.filter(({ keyHash }) => !after.some((session) => session.keyHash === keyHash));
    await transact([
      ...replaceSessions(account, before, after, { used }),
      ...gone.map((session) => signedOut(account.userId, session, signInsWith(account, 0))),
    ]);
  });
