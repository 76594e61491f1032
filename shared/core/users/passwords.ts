import { argon2, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";

/**
 * Argon2id with 12 MiB and three passes, one of the settings that OWASP recommends as equally strong: about 30 ms of a whole
 * processor, and slow for attackers with a stolen table.
 */
const cost = { memory: 12 * 1024, passes: 3, parallelism: 1, tagLength: 32 };

/** How passwords were hashed before: it takes three times as long, and a third of what OWASP recommends of scrypt. */
const formerCost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const formerPrefix = "scrypt";

/**
 * Keys that a process derives at a time, one on each processor, in the thread pool, which leaves one of its four threads to file and
 * table: others wait. Each takes 12 MB.
 */
const maxDerivations = Math.min(3, availableParallelism());
let derivationCount = 0;
const waiting: (() => void)[] = [];

async function derive(password: string, salt: Buffer, isFormer = false): Promise<Buffer> {
  if (derivationCount < maxDerivations) derivationCount++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  const message = password.normalize("NFKC");
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const done = (error: Error | null, key: Buffer) => (error ? reject(error) : resolve(key));
      if (isFormer) scrypt(message, salt, 32, formerCost, done);
      else argon2("argon2id", { message, nonce: salt, ...cost }, done);
    });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else derivationCount--;
  }
}

/** "argon2id$<salt>$<key>", both in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `argon2id$${salt.toString("base64")}$${(await derive(password, salt)).toString("base64")}`;
}

/** Whether a hash is in the form of former versions, `"scrypt$<salt>$<key>"`, and is to be replaced when the password is known. */
export const isFormerHash = (stored: string): boolean => stored.startsWith(`${formerPrefix}$`);

/** Derives a key even when `stored` is undefined, so that timing does not reveal whether an account exists. */
export async function passwordMatches(password: string, stored: string | undefined): Promise<boolean> {
  const [algorithm, salt = "", key = ""] = (stored ?? "").split("$");
  const nonce = stored === undefined ? randomBytes(16) : Buffer.from(salt, "base64");
  const derived = await derive(password, nonce, algorithm === formerPrefix);
  const expected = Buffer.from(key, "base64");
  return expected.length === derived.length && timingSafeEqual(derived, expected);
}
