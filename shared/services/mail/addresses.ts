import { createHmac, timingSafeEqual } from "node:crypto";
import { fleetSecret } from "../../base/aws/secret.ts";
import { mailDomain } from "../../base/environment.ts";
import { findReplacements, type MailAddress } from "../../store/channels/mail-addresses.ts";

/**
 * The addresses at which the fleet receives mail. Each contains what it is for and a code that only the fleet's secret yields, so
 * that nothing is stored for an address that nobody has replaced.
 */

/** What may follow the token of a channel's address, in any order. */
const addressOptions = ["show-sender", "include-footer", "include-quotes", "prefer-html", "prefer-text"] as const;
type AddressOption = (typeof addressOptions)[number];

export type Recipient =
  | { kind: "channel"; address: MailAddress; options: ReadonlySet<AddressOption> }
  /** The reply of the user to a mail about missed messages, of which this is the first. */
  | { kind: "reply"; userId: number; messageId: number };

/** The longest local part that mail servers must accept (RFC 5321). */
const maxLocalPart = 64;
/** A code has 100 bits, in 20 characters of which mail programs change none. */
const codeCharacters = 20;
const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

const codeOf = (secret: string, purpose: string, values: readonly number[]): string =>
  [
    ...createHmac("sha256", secret)
      .update(`skein mail ${purpose} ${values.join(" ")}`)
      .digest(),
  ]
    .slice(0, codeCharacters)
    .map((byte) => alphabet[byte % alphabet.length])
    .join("");

const tokenOf = (secret: string, purpose: "c" | "r" | "u", values: readonly number[]) =>
  `${purpose}${values.map((value) => value.toString(36)).join("-")}-${codeOf(secret, purpose, values)}`;

/** The name in an address, which only tells people what it is for: the letters and digits of ASCII. */
const addressName = (channelName: string): string =>
  channelName
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "") || "channel";

/** A channel's address in the form that counts after `replacements`; empty if the fleet receives no mail. */
export async function channelAddress(
  { channelId, creatorId, senderId }: MailAddress,
  replacements: number,
  channelName: string,
  options: readonly AddressOption[],
): Promise<string> {
  if (!mailDomain()) return "";
  const token = tokenOf(await fleetSecret(), "c", [channelId, creatorId, senderId, replacements]);
  const end = [token, ...options].join(".");
  const name = addressName(channelName).slice(0, Math.max(0, maxLocalPart - end.length - 1));
  return `${name && `${name}.`}${end}@${mailDomain()}`;
}

/** The address for a user's reply to a mail about messages; undefined if the fleet receives no mail. */
export const replyAddress = async (userId: number, messageId: number): Promise<string | undefined> =>
  mailDomain() ? `${tokenOf(await fleetSecret(), "r", [userId, messageId])}@${mailDomain()}` : undefined;

/** The token in the link by which a user ends mails about missed messages. */
export const unsubscribeToken = async (userId: number): Promise<string> => tokenOf(await fleetSecret(), "u", [userId]);

/** The user in whose mails the token is; undefined for any other token. */
export async function readUnsubscribeToken(token: string): Promise<number | undefined> {
  const [, id = "", code = ""] = /^u([0-9a-z]{1,11})-([a-z2-7]{20})$/.exec(token) ?? [];
  const userId = Number.parseInt(id, 36);
  return id && isCode(code, codeOf(await fleetSecret(), "u", [userId])) ? userId : undefined;
}

/** What a valid address is for; undefined for any other. Costs 1 read unit for a channel's. */
export async function findRecipient(address: string): Promise<Recipient | undefined> {
  const [, local = "", domain] = /^<?([^@<>]{1,320})@([^@<>]{1,255})>?$/.exec(address.trim().toLowerCase()) ?? [];
  if (!mailDomain() || domain !== mailDomain()) return undefined;
  const parts = local.split(/[.+]/);
  const isOption = (part: string): part is AddressOption => addressOptions.some((option) => option === part);
  const options = new Set(parts.filter(isOption));
  // As in the original, a name may precede the token, which only the options follow.
  const token = parts.findLast((part) => !isOption(part)) ?? "";
  const [, purpose, numbers = "", code = ""] = /^([cr])((?:[0-9a-z]{1,11}-){2,4})([a-z2-7]{20})$/.exec(token) ?? [];
  const values = numbers
    .split("-")
    .slice(0, -1)
    .map((digits) => Number.parseInt(digits, 36));
  if ((purpose !== "c" && purpose !== "r") || !isCode(code, codeOf(await fleetSecret(), purpose, values)))
    return undefined;
  if (purpose === "r") {
    const [userId = 0, messageId = 0] = values;
    return { kind: "reply", userId, messageId };
  }
  const [channelId = 0, creatorId = 0, senderId = 0, replacements = 0] = values;
  const found: MailAddress = { channelId, creatorId, senderId };
  return replacements === (await findReplacements(found)) ? { kind: "channel", address: found, options } : undefined;
}

/** Compares in constant time. */
const isCode = (given: string, expected: string) => timingSafeEqual(Buffer.from(given), Buffer.from(expected));
