import { createHmac, timingSafeEqual } from "node:crypto";
import { fleetSecret } from "../../base/aws/secret.ts";
import { badRequest } from "../../base/errors.ts";

const temporaryLinkSeconds = 60;

/** A signed token that gives access to one file for a minute; nothing is stored. */
export async function createTemporaryToken(pathId: string, now = Date.now()): Promise<string> {
  const payload = `${Math.floor(now / 1000) + temporaryLinkSeconds}.${Buffer.from(pathId).toString("base64url")}`;
  return `${payload}.${await signatureOf(payload)}`;
}

/** Checks a token and returns its file's path; throws a 400 if it is invalid or expired. */
export async function checkTemporaryToken(token: string): Promise<string> {
  const [, payload = "", expiresAt = "", path = "", signature = ""] = /^((\d+)\.([\w-]+))\.([\w-]+)$/.exec(token) ?? [];
  const expected = Buffer.from(await signatureOf(payload));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw badRequest("Invalid token");
  if (Number(expiresAt) * 1000 <= Date.now()) throw badRequest("Invalid token");
  return Buffer.from(path, "base64url").toString("utf8");
}

const signatureOf = async (payload: string) =>
  createHmac("sha256", `${await fleetSecret()} temporary links`)
    .update(payload)
    .digest("base64url");
