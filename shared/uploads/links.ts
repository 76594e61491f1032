import { createHmac, timingSafeEqual } from "node:crypto";
import { fleetSecret } from "../aws/secret.ts";
import { badRequest } from "../errors.ts";

/** Validity of a temporary link. */
export const temporaryLinkSeconds = 60;

/** A signed token that gives access to one file for a minute; nothing is stored. */
export async function createTemporaryToken(pathId: string, now = Date.now()): Promise<string> {
  const claim = `${Math.floor(now / 1000) + temporaryLinkSeconds}.${Buffer.from(pathId).toString("base64url")}`;
  return `${claim}.${await signatureOf(claim)}`;
}

/** Checks a token and returns its file's path; throws a 400 if it is invalid or expired. */
export async function checkTemporaryToken(token: string, now = Date.now()): Promise<string> {
  const [, claim = "", endsAt = "", path = "", signature = ""] = /^((\d+)\.([\w-]+))\.([\w-]+)$/.exec(token) ?? [];
  const expected = Buffer.from(await signatureOf(claim));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw badRequest("Invalid token");
  if (Number(endsAt) * 1000 <= now) throw badRequest("Invalid token");
  return Buffer.from(path, "base64url").toString("utf8");
}

const signatureOf = async (claim: string) =>
  createHmac("sha256", `${await fleetSecret()} temporary links`)
    .update(claim)
    .digest("base64url");
