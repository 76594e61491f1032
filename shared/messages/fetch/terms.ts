import { toStoredTopic } from "../../channels/topic-names.ts";
import { badNarrow, unauthorized } from "../../errors.ts";
import { findNamedUsers } from "../../identity/named.ts";
import { checkRealmActive } from "../../organization/access.ts";
import { findMessage } from "../../store/messages/messages.ts";
import type { Reader } from "../reader.ts";
import { type Operand, operandsOf, type Term } from "./narrow.ts";

export const isOperands = ["dm", "starred", "unread", "mentioned", "alerted", "followed", "muted", "resolved"] as const;
export type IsOperand = (typeof isOperands)[number];
export const hasOperands = ["attachment", "image", "link", "reaction"] as const;
export type HasOperand = (typeof hasOperands)[number];

/** A term with names resolved to IDs. */
export type ResolvedTerm = { negated: boolean } & (
  | { by: "channel"; id: number }
  | { by: "channels"; which: "public" | "web-public" }
  | { by: "topic"; topic: string }
  | { by: "sender"; id: number }
  | { by: "dm"; userIds: number[] }
  | { by: "dm-including"; userIds: number[] }
  | { by: "group-pm-with"; userIds: number[] }
  | { by: "is"; what: IsOperand }
  | { by: "has"; what: HasOperand }
  | { by: "home" }
  | { by: "id"; id: number }
  | { by: "search"; query: string }
);

/** Resolves names to IDs and applies `with`; throws BAD_NARROW for what is unknown or hidden from the reader. */
export async function resolveTerms(reader: Reader, terms: readonly Term[]): Promise<ResolvedTerm[]> {
  if (!reader.caller) checkSpectator(reader, terms);
  if (!terms.some(({ operator }) => operator === "with")) checkNotMixed(terms);
  const resolved = (await Promise.all(terms.map((term) => resolve(reader, term)))).flat();
  const searches = resolved.flatMap((term) => (term.by === "search" && !term.negated ? [term.query] : []));
  const joined: ResolvedTerm[] = [
    ...resolved.filter(({ by, negated }) => by !== "search" || negated),
    ...(searches.length > 0 ? [{ by: "search" as const, query: searches.join(" "), negated: false }] : []),
  ];
  return applyWith(reader, terms, joined);
}

const spectatorOperators = new Set(["channels", "channel", "topic", "sender", "has", "search", "near", "id", "with"]);

/** Spectators may only read web-public channels, and must ask for exactly these. */
function checkSpectator({ realm }: Reader, terms: readonly Term[]) {
  checkRealmActive(realm);
  const isLimitedToWebPublic = operandsOf(terms, "channels").includes("web-public");
  const allowed = terms.every(({ operator }) => spectatorOperators.has(operator));
  if (!realm.settings.enable_spectator_access || !isLimitedToWebPublic || !allowed) throw unauthorized();
}

async function resolve(reader: Reader, { operator, operand, negated }: Term): Promise<ResolvedTerm[]> {
  switch (operator) {
    case "channel":
      return [{ by: "channel", id: await resolveChannel(reader, operand), negated }];
    case "channels":
      if (operand !== "public" && operand !== "web-public") throw badNarrow(`unknown channels operand ${operand}`);
      return [{ by: "channels", which: operand, negated }];
    case "topic":
      return [{ by: "topic", topic: toStoredTopic(String(operand), reader.realm.settings), negated }];
    case "sender":
      return [{ by: "sender", id: (await resolveUsers(reader, operand))[0] as number, negated }];
    case "dm": {
      const others = await resolveUsers(reader, operand);
      return [{ by: "dm", userIds: [...new Set([...others, reader.caller?.id ?? 0])], negated }];
    }
    case "dm-including":
    case "group-pm-with":
      return [{ by: operator, userIds: await resolveUsers(reader, operand), negated }];
    case "is": {
      const what = isOperands.find((known) => known === (operand === "private" ? "dm" : operand));
      if (!what) throw badNarrow(`unknown 'is' operand ${operand}`);
      return [{ by: "is", what, negated }];
    }
    case "has": {
      const plural = typeof operand === "string" ? operand.replace(/s$/, "") : operand;
      const what = hasOperands.find((known) => known === plural);
      if (!what) throw badNarrow(`unknown 'has' operand ${operand}`);
      return [{ by: "has", what, negated }];
    }
    case "in":
      if (operand !== "home" && operand !== "all") throw badNarrow(`unknown 'in' operand ${operand}`);
      return operand === "home" ? [{ by: "home", negated }] : [];
    case "id":
      return [{ by: "id", id: Number(operand), negated }];
    case "search":
      return [{ by: "search", query: String(operand), negated }];
    case "near":
    case "with":
      return [];
  }
}

async function resolveChannel(reader: Reader, operand: Operand): Promise<number> {
  const id = typeof operand === "string" ? await reader.findChannelId(operand) : operand;
  const unknown = () => badNarrow(`unknown channel ${operand}`);
  if (typeof id !== "number") throw unknown();
  await reader.load([id]);
  if (!reader.channel(id) || !reader.mayRead(id)) throw unknown();
  return id;
}

/** An operand is an ID or address, or a list of them; addresses may also be separated by commas. */
async function resolveUsers(reader: Reader, operand: Operand): Promise<number[]> {
  const named = Array.isArray(operand) ? operand : typeof operand === "string" ? operand.split(",") : [operand];
  const unknown = () => badNarrow(`unknown user in ${Array.isArray(operand) ? operand.join(",") : operand}`);
  const users = await findNamedUsers(reader.caller, named);
  if (users.length === 0) throw unknown();
  return users.map((user) => {
    if (!user) throw unknown();
    return user.id;
  });
}

/** Replaces `with` with the conversation that contains the message now, as it may have been moved. See https://zulip.com/api/construct-narrow. */
async function applyWith(reader: Reader, terms: readonly Term[], resolved: ResolvedTerm[]): Promise<ResolvedTerm[]> {
  const withs = terms.filter(({ operator }) => operator === "with");
  const [named] = withs;
  if (!named) return resolved;
  if (withs.length > 1) throw badNarrow("Duplicate 'with' operators.");
  if (named.negated) throw badNarrow("The 'with' operator cannot be negated.");
  const message = await findMessage(Number(named.operand));
  if (message?.channelId !== undefined) await reader.load([message.channelId]);
  const rest = resolved.filter(({ by, negated }) => negated || (by !== "channel" && by !== "topic" && by !== "dm"));
  if (!message || !reader.reach(message)) {
    const has = (by: ResolvedTerm["by"]) => resolved.some((term) => term.by === by && !term.negated);
    if (has("dm") || (has("channel") && has("topic"))) return resolved;
    throw badNarrow("Invalid 'with' operator");
  }
  if (message.channelId === undefined) return [...rest, { by: "dm", userIds: message.userIds ?? [], negated: false }];
  return [
    ...rest,
    { by: "channel", id: message.channelId, negated: false },
    { by: "topic", topic: message.topic ?? "", negated: false },
  ];
}

const inChannels = new Set(["channel", "channels", "topic"]);
const isDirect = ({ operator, operand }: Term) =>
  operator === "dm" ||
  operator === "dm-including" ||
  operator === "group-pm-with" ||
  (operator === "is" && (operand === "dm" || operand === "private"));

function checkNotMixed(terms: readonly Term[]) {
  const positive = terms.filter(({ negated }) => !negated);
  if (positive.some(({ operator }) => inChannels.has(operator)) && positive.some(isDirect))
    throw badNarrow("No message can be both a channel message and direct message");
}
