import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";

/** scrypt with 32 MB: about 80 ms in a 512 MB function, and slow for attackers with a stolen table. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

/**
 * Keys that a process derives at a time, one on each processor, in the thread pool, which leaves one of its four threads to file and
 * table: others wait. Each takes 32 MB.
 */
const maxDerivations = Math.min(3, availableParallelism());
let derivationCount = 0;
const waiting: (() => void)[] = [];

async function derive(password: string, salt: Buffer): Promise<Buffer> {
  if (derivationCount < maxDerivations) derivationCount++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      scrypt(password.normalize("NFKC"), salt, 32, cost, (error, key) => (error ? reject(error) : resolve(key)));
    });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else derivationCount--;
  }
}

/** "scrypt$<salt>$<key>", both in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `scrypt$${salt.toString("base64")}$${(await derive(password, salt)).toString("base64")}`;
}

/** Derives a key even when `stored` is undefined, so that timing does not reveal whether an account exists. */
export async function passwordMatches(password: string, stored: string | undefined): Promise<boolean> {
  const [, salt = "", key = ""] = (stored ?? "").split("$");
  const derived = await derive(password, Buffer.from(salt, "base64"));
  const expected = Buffer.from(key, "base64");
  return expected.length === derived.length && timingSafeEqual(derived, expected);
}
