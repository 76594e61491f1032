import { createHmac, timingSafeEqual } from "node:crypto";
import { badRequest } from "../errors.ts";
import { fleetSecret } from "../secret.ts";

/** Seconds for which a link without credentials is good. */
export const temporaryLinkSeconds = 60;

/** A token that lets whoever holds it read one file for a minute; nothing is stored of it. */
export async function temporaryToken(pathId: string, now = Date.now()): Promise<string> {
  const claim = `${Math.floor(now / 1000) + temporaryLinkSeconds}.${Buffer.from(pathId).toString("base64url")}`;
  return `${claim}.${await signatureOf(claim)}`;
}

/** The file that a token is for; an error when it is not ours or its time is over. */
export async function pathOfToken(token: string, now = Date.now()): Promise<string> {
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
