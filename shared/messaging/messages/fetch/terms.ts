import { badNarrow, unauthorized } from "../../../base/errors.ts";
import { toStoredTopic } from "../../../core/channels/topic-names.ts";
import { loadEmojiTable } from "../../../core/emoji/names.ts";
import { findNamedUsers } from "../../../services/identity/named.ts";
import { checkRealmActive } from "../../../services/organization/access.ts";
import { findMessage } from "../../../store/messages/messages.ts";
import type { Reader } from "../reader.ts";
import { type EmojiNames, mayNameEmoji } from "../search/query.ts";
import { charactersOf } from "../search/text.ts";
import { type Operand, operandsOf, type Term } from "./narrow.ts";
import { type IdRange, idsSentIn, parsePeriod, type SentPeriod } from "./sent-periods.ts";

const isOperands = ["dm", "starred", "unread", "mentioned", "alerted", "followed", "muted", "resolved"] as const;
export type IsOperand = (typeof isOperands)[number];
const hasOperands = ["attachment", "image", "link", "reaction"] as const;
export type HasOperand = (typeof hasOperands)[number];

/** A term with names resolved to IDs. `home`: only messages that are not muted. */
export type ResolvedTerm = { negated: boolean } & (
  | { kind: "channel"; id: number }
  | { kind: "channels"; operand: "public" | "web-public" }
  | { kind: "topic"; topic: string }
  | { kind: "sender"; id: number }
  | { kind: "dm"; userIds: number[] }
  | { kind: "dm-including"; userIds: number[] }
  | { kind: "group-pm-with"; userIds: number[] }
  | { kind: "is"; operand: IsOperand }
  | { kind: "has"; operand: HasOperand }
  | { kind: "mentions"; id: number }
  | { kind: "sent"; period: SentPeriod; ids: IdRange }
  | { kind: "home" }
  | { kind: "id"; id: number }
  | { kind: "search"; query: string; emojiOf?: EmojiNames | undefined }
);

/**
 * Resolves names to IDs, joins all searches into one, and applies `with`. Throws BAD_NARROW for a channel, user or message that
 * is unknown or hidden from the reader.
 */
export async function resolveTerms(reader: Reader, terms: readonly Term[]): Promise<ResolvedTerm[]> {
  if (!reader.caller) checkSpectator(reader, terms);
  if (!terms.some(({ operator }) => operator === "with")) checkNotMixed(terms);
  const resolved = (await Promise.all(terms.map((term) => resolve(reader, term)))).flat();
  const searches = resolved.flatMap((term) => (term.kind === "search" && !term.negated ? [term] : []));
  const joined = {
    ...{ kind: "search" as const, negated: false, query: searches.map(({ query }) => query).join(" ") },
    emojiOf: searches.find(({ emojiOf }) => emojiOf)?.emojiOf,
  };
  const withJoinedSearch: ResolvedTerm[] = [
    ...resolved.filter(({ kind, negated }) => kind !== "search" || negated),
    ...(searches.length > 0 ? [joined] : []),
  ];
  return applyWith(reader, terms, withJoinedSearch);
}

const spectatorOperators = new Set([
  ...["channels", "channel", "topic", "sender", "has", "search", "near", "id", "with"],
  ...["before", "after", "date"],
]);

/** Spectators may read only web-public channels, and their narrow must say so with `channels:web-public`. */
function checkSpectator({ realm }: Reader, terms: readonly Term[]) {
  checkRealmActive(realm);
  const isLimitedToWebPublic = operandsOf(terms, "channels").includes("web-public");
  const allowed = terms.every(({ operator }) => spectatorOperators.has(operator));
  if (!realm.settings.enable_spectator_access || !isLimitedToWebPublic || !allowed) throw unauthorized();
}

async function resolve(reader: Reader, { operator, operand, negated }: Term): Promise<ResolvedTerm[]> {
  switch (operator) {
    case "channel":
      return [{ kind: "channel", id: await resolveChannel(reader, operand), negated }];
    case "channels":
      if (operand !== "public" && operand !== "web-public") throw badNarrow(`unknown channels operand ${operand}`);
      return [{ kind: "channels", operand, negated }];
    case "topic":
      return [{ kind: "topic", topic: toStoredTopic(String(operand), reader.realm.settings), negated }];
    case "sender":
      return [{ kind: "sender", id: (await resolveUsers(reader, operand))[0] as number, negated }];
    case "dm": {
      const namedIds = await resolveUsers(reader, operand);
      return [{ kind: "dm", userIds: [...new Set([...namedIds, reader.caller?.id ?? 0])], negated }];
    }
    case "dm-including":
    case "group-pm-with":
      return [{ kind: operator, userIds: await resolveUsers(reader, operand), negated }];
    case "mentions": {
      const [id, ...others] = (await resolveUsers(reader, operand)) as [number, ...number[]];
      if (others.length > 0) throw badNarrow("mentions takes one user");
      return [{ kind: "mentions", id, negated }];
    }
    case "before":
    case "after":
    case "date":
      return [await resolveTime(operator, operand as string | number, negated)];
    case "is": {
      const resolvedOperand = isOperands.find((candidate) => candidate === (operand === "private" ? "dm" : operand));
      if (!resolvedOperand) throw badNarrow(`unknown 'is' operand ${operand}`);
      return [{ kind: "is", operand: resolvedOperand, negated }];
    }
    case "has": {
      const singular = typeof operand === "string" ? operand.replace(/s$/, "") : operand;
      const resolvedOperand = hasOperands.find((candidate) => candidate === singular);
      if (!resolvedOperand) throw badNarrow(`unknown 'has' operand ${operand}`);
      return [{ kind: "has", operand: resolvedOperand, negated }];
    }
    case "in":
      if (operand !== "home" && operand !== "all") throw badNarrow(`unknown 'in' operand ${operand}`);
      return operand === "home" ? [{ kind: "home", negated }] : [];
    case "id":
      return [{ kind: "id", id: Number(operand), negated }];
    case "search": {
      const query = String(operand);
      return [{ kind: "search", query, negated, ...(mayNameEmoji(query) && { emojiOf: await loadEmojiNames() }) }];
    }
    case "near":
    case "with":
      return [];
  }
}

async function loadEmojiNames(): Promise<EmojiNames> {
  const table = await loadEmojiTable();
  return (name) => {
    const code = table.codeOf(name);
    return code === undefined ? undefined : charactersOf(code);
  };
}

/** What is excluded by `before` and `after` is the other part of all messages. */
async function resolveTime(
  operator: "before" | "after" | "date",
  operand: string | number,
  negated: boolean,
): Promise<ResolvedTerm> {
  const named = parsePeriod(operand);
  if (!named) throw badNarrow(`invalid date ${operand}`);
  const { start, end } = named;
  if (operator === "date") return { ...(await sentIn({ start, end })), negated };
  if (operator === "before") return sentIn(negated ? { start } : { end: start });
  return sentIn(negated ? { end } : { start: end });
}

/** A term that the messages of a period match. */
export const sentIn = async (period: SentPeriod): Promise<Extract<ResolvedTerm, { kind: "sent" }>> => ({
  ...{ kind: "sent", period, ids: await idsSentIn(period), negated: false },
});

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
  const idsOrEmails = Array.isArray(operand) ? operand : typeof operand === "string" ? operand.split(",") : [operand];
  const unknown = () => badNarrow(`unknown user in ${Array.isArray(operand) ? operand.join(",") : operand}`);
  const users = await findNamedUsers(reader.caller, idsOrEmails);
  if (users.length === 0) throw unknown();
  return users.map((user) => {
    if (!user) throw unknown();
    return user.id;
  });
}

/**
 * Replaces `with` by the topic or conversation that contains its message now, since the message may have been moved. See
 * https://zulip.com/api/construct-narrow.
 */
async function applyWith(reader: Reader, terms: readonly Term[], resolved: ResolvedTerm[]): Promise<ResolvedTerm[]> {
  const withTerms = terms.filter(({ operator }) => operator === "with");
  const [withTerm] = withTerms;
  if (!withTerm) return resolved;
  if (withTerms.length > 1) throw badNarrow("Duplicate 'with' operators.");
  if (withTerm.negated) throw badNarrow("The 'with' operator cannot be negated.");
  const message = await findMessage(Number(withTerm.operand));
  if (message?.channelId !== undefined) await reader.load([message.channelId]);
  const otherTerms = resolved.filter(
    ({ kind, negated }) => negated || (kind !== "channel" && kind !== "topic" && kind !== "dm"),
  );
  if (!message || !reader.reach(message)) {
    const has = (kind: ResolvedTerm["kind"]) => resolved.some((term) => term.kind === kind && !term.negated);
    if (has("dm") || (has("channel") && has("topic"))) return resolved;
    throw badNarrow("Invalid 'with' operator");
  }
  if (message.channelId === undefined)
    return [...otherTerms, { kind: "dm", userIds: message.userIds ?? [], negated: false }];
  return [
    ...otherTerms,
    { kind: "channel", id: message.channelId, negated: false },
    { kind: "topic", topic: message.topic ?? "", negated: false },
  ];
}

const channelOperators = new Set(["channel", "channels", "topic"]);
const isDirect = ({ operator, operand }: Term) =>
  operator === "dm" ||
  operator === "dm-including" ||
  operator === "group-pm-with" ||
  (operator === "is" && (operand === "dm" || operand === "private"));

/** Refuses a narrow that only messages both in a channel and in a direct conversation could match. */
function checkNotMixed(terms: readonly Term[]) {
  const positive = terms.filter(({ negated }) => !negated);
  if (positive.some(({ operator }) => channelOperators.has(operator)) && positive.some(isDirect))
    throw badNarrow("No message can be both a channel message and direct message");
}
