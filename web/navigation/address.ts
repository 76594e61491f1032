import { t } from "../base/languages/language.ts";
import type { State } from "../state/model.ts";
import type { Narrow, Term } from "../state/narrow.ts";

/** Parses and builds the URL fragment, whose format links in messages share. */

export type SettingsSection = (typeof settingsSections)[number];
export type AdministrationSection = (typeof administrationSections)[number];
/** A view that a link can name. */
export type Destination =
  | { kind: "inbox" | "recent" | "drafts" | "scheduled" | "channels" | "groups" }
  | { kind: "settings"; section: SettingsSection }
  | { kind: "organization"; section: AdministrationSection }
  | { kind: "channel-settings"; channelId: number }
  | { kind: "narrow"; narrow: Narrow; near?: number };

/** A link that names no view, and what is wrong with it, in words. */
interface BadLink {
  kind: "bad-link";
  problem: string;
}

export type Route = Destination | BadLink;

/** Percent-encodes, with dots instead of percent signs, because some programs end a link at a percent sign. */
export const encodePart = (text: string) =>
  // Half of a surrogate pair has no encoding.
  encodeURIComponent(text.toWellFormed())
    .replace(/[.()'!*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%", ".");

export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part.replace(/\.([0-9A-Fa-f]{2})/g, "%$1"));
  } catch {
    return part;
  }
}

/** A channel's name for readers of the URL; only the ID before it is parsed. */
const slug = (text: string) => encodePart(text.replaceAll(" ", "-"));

/** The URL fragment of a view, with its "#". */
export function formatRoute(route: Destination, state: Pick<State, "channels">): string {
  if (route.kind === "settings") return `#settings/${route.section}`;
  if (route.kind === "organization") return `#organization/${route.section}`;
  if (route.kind === "channel-settings") return `#channels/${route.channelId}`;
  if (route.kind !== "narrow") return `#${route.kind}`;
  const near = route.near === undefined ? "" : `/near/${route.near}`;
  return `#${narrowAddress(route.narrow, state)}${near}`;
}

function narrowAddress(narrow: Narrow, { channels }: Pick<State, "channels">): string {
  /** Without the name as long as it is not known, as that of a new channel. */
  const channel = (id: number) => {
    const name = channels.get(id)?.name;
    return `narrow/channel/${id}${name === undefined ? "" : `-${slug(name)}`}`;
  };
  switch (narrow.kind) {
    case "feed":
      return "feed";
    case "channel":
      return channel(narrow.channelId);
    case "topic":
      return `${channel(narrow.channelId)}/topic/${encodePart(narrow.topic)}`;
    case "direct":
      return `narrow/dm/${narrow.userIds.join(",")}-dm`;
    case "directs":
      return "narrow/is/dm";
    case "mentions":
      return "narrow/is/mentioned";
    case "starred":
      return "narrow/is/starred";
    case "sender":
      return `narrow/sender/${narrow.userId}`;
    case "search":
      return `narrow/${narrow.terms
        .map(({ operator, operand, negated }) => {
          const text = Array.isArray(operand) ? operand.join(",") : String(operand);
          return `${negated ? "-" : ""}${operator}/${encodePart(text)}`;
        })
        .join("/")}`;
  }
}

/** The views whose URL fragment is only their name. */
const plainViews = ["inbox", "recent", "drafts", "scheduled", "channels", "groups"] as const;
const settingsSections = ["profile", "notifications", "appearance", "account", "bots", "assistants"] as const;
export const administrationSections = [
  ...(["settings", "permissions", "user-defaults", "people", "bots", "linkifiers", "emoji"] as const),
  ...(["default-channels", "profile-fields", "folders", "exports", "import", "statistics", "audit-log"] as const),
] as const;

/** The view with which a user chose to start, as the setting `web_home_view` names it. */
export const homeOf = (setting: unknown): Destination =>
  setting === "recent_topics"
    ? { kind: "recent" }
    : setting === "all_messages"
      ? { kind: "narrow", narrow: { kind: "feed" } }
      : { kind: "inbox" };

/** The view that a URL fragment names; that of `home` if it names none. */
export function parseRoute(hash: string, home = (): Destination => ({ kind: "inbox" })): Route {
  const [first = "", ...rest] = hash.replace(/^#/, "").split("/");
  if (first === "") return home();
  if (first === "feed") return { kind: "narrow", narrow: { kind: "feed" } };
  if (first === "settings")
    return { kind: "settings", section: settingsSections.find((section) => section === rest[0]) ?? "profile" };
  if (first === "organization")
    return {
      kind: "organization",
      section: administrationSections.find((section) => section === rest[0]) ?? "settings",
    };
  if (first === "channels" && /^\d+$/.test(rest[0] ?? ""))
    return { kind: "channel-settings", channelId: Number(rest[0]) };
  const view = plainViews.find((kind) => kind === first);
  if (view) return { kind: view };
  return first === "narrow"
    ? parseNarrowRoute(rest)
    : badLink(t("Page not found: “{page}”.", { page: shorten(decodePart(first)) }));
}

const badLink = (problem: string): BadLink => ({ kind: "bad-link", problem });
const maxQuotedLength = 60;
const shorten = (text: string) => (text.length > maxQuotedLength ? `${text.slice(0, maxQuotedLength)}…` : text);

/** The ID that a text is; undefined if it is none. */
const idOf = (text: string): number | undefined => (/^\d{1,15}$/.test(text) && Number(text)) || undefined;

/** Parses alternating operators and operands; a leading "-" negates an operator. */
function parseNarrowRoute(allParts: readonly string[]): Route {
  // A slash at the end of the link adds nothing, except the empty topic after "topic".
  const parts = allParts.length % 2 === 1 && allParts.at(-1) === "" ? allParts.slice(0, -1) : allParts;
  if (parts.length === 0) return badLink(t("The link does not say which messages to show."));
  if (parts.length % 2 === 1)
    return badLink(t("The link ends after “{part}”.", { part: shorten(decodePart(parts.at(-1) ?? "")) }));
  const terms: Term[] = [];
  let near: number | undefined;
  for (let index = 0; index < parts.length; index += 2) {
    const negated = parts[index]?.startsWith("-") ?? false;
    const operator = (parts[index] ?? "").replace(/^-/, "");
    const text = decodePart(parts[index + 1] ?? "");
    if (operator === "near" || operator === "with") {
      near = idOf(text);
      if (near === undefined)
        return badLink(t("“{text}” in the link is not the number of a message.", { text: shorten(text) }));
    } else if (["channel", "stream"].includes(operator))
      terms.push({ operator: "channel", operand: Number.parseInt(text, 10) || text, negated });
    // User IDs, after which Zulip puts "-" and names for human readers.
    else if (["dm", "pm-with"].includes(operator)) {
      const userIds = text.replace(/-.*$/, "").split(",").map(idOf);
      if (!userIds.every((id) => id !== undefined))
        return badLink(t("“{text}” in the link does not name users.", { text: shorten(text) }));
      terms.push({ operator: "dm", operand: userIds, negated });
    }
    // A user ID, after which Zulip puts "-" and the name, or an e-mail address.
    else if (operator === "sender" || operator === "dm-including" || operator === "mentions")
      terms.push({ operator, operand: idOf(text.replace(/-.*$/s, "")) ?? text, negated });
    else terms.push({ operator, operand: text, negated });
  }
  return { kind: "narrow", narrow: narrowOf(terms), ...(near !== undefined && { near }) };
}

/** The most specific kind of narrow that the terms form; a search if they form no other. */
export function narrowOf(terms: readonly Term[]): Narrow {
  const [first, second] = terms;
  if (first && !first.negated && terms.length === 1) {
    const { operator, operand } = first;
    if (operator === "channel" && typeof operand === "number") return { kind: "channel", channelId: operand };
    if (operator === "dm" && Array.isArray(operand) && operand.length > 0) return { kind: "direct", userIds: operand };
    if (operator === "is" && operand === "dm") return { kind: "directs" };
    if (operator === "is" && operand === "mentioned") return { kind: "mentions" };
    if (operator === "is" && operand === "starred") return { kind: "starred" };
    if (operator === "sender" && Number(operand)) return { kind: "sender", userId: Number(operand) };
  }
  if (first && second && terms.length === 2 && !first.negated && !second.negated)
    if (first.operator === "channel" && typeof first.operand === "number" && second.operator === "topic")
      return { kind: "topic", channelId: first.operand, topic: String(second.operand) };
  return { kind: "search", terms };
}

/** What the IDs in terms are called in the text of a search. */
export interface SearchNames {
  channelIdOf: (name: string) => number | undefined;
  channelNameOf: (id: number) => string | undefined;
  /** Of a name or an address; undefined if several people have it, or nobody. */
  userIdOf: (nameOrAddress: string) => number | undefined;
  emailOf: (userId: number) => string | undefined;
}

const quotedIfNeeded = (text: string) => (/^[^\s"]+$/.test(text) ? text : `"${text.replaceAll('"', "")}"`);

/** The text of a search with these terms, as a user would type it. */
export const textOfTerms = (terms: readonly Term[], names: Pick<SearchNames, "channelNameOf" | "emailOf">): string =>
  terms
    .map(({ operator, operand, negated }) => {
      if (operator === "search") return String(operand);
      const ids = typeof operand === "number" ? [operand] : Array.isArray(operand) ? (operand as number[]) : undefined;
      const nameOf = operator === "channel" ? names.channelNameOf : names.emailOf;
      const text = ids ? ids.map((id) => nameOf(id) ?? String(id)).join(",") : String(operand);
      return `${negated ? "-" : ""}${operator}:${quotedIfNeeded(text)}`;
    })
    .join(" ");

/**
 * Parses the terms of a search as a user types it: `channel:design topic:"two words" -has:link three words`. The last quote may
 * still be open.
 */
export function termsOfSearch(
  text: string,
  { channelIdOf, userIdOf }: Pick<SearchNames, "channelIdOf" | "userIdOf">,
): Term[] {
  const terms: Term[] = [];
  const words: string[] = [];
  for (const [, minus = "", typed = "", quoted, plain, word] of text.matchAll(
    /(-?)([a-z-]+):(?:"([^"]*)(?:"|$)|(\S+))|("[^"]*"|\S+)/g,
  )) {
    if (word !== undefined || typed === "") {
      words.push(word ?? "");
      continue;
    }
    const operator = typed === "from" ? "sender" : typed;
    const value = quoted ?? plain ?? "";
    const operand = quoted ?? value.replaceAll("+", " ");
    const isNegated = minus === "-" && { negated: true };
    const channelId = operator === "channel" || operator === "stream" ? channelIdOf(operand) : undefined;
    // A name may have a comma, and an address a plus sign.
    const whole = userIdOf(value) ?? userIdOf(operand);
    const userIds = !/^(dm(-including)?|sender|mentions)$/.test(operator)
      ? []
      : whole === undefined
        ? operand.split(",").map((name) => userIdOf(name.trim()))
        : [whole];
    // A link names people by their IDs.
    if (userIds.length > 0 && userIds.every((id) => id !== undefined) && (operator === "dm" || userIds.length === 1))
      terms.push({ operator, operand: operator === "dm" ? userIds : (userIds[0] as number), ...isNegated });
    else terms.push({ operator, operand: channelId ?? operand, ...isNegated });
  }
  if (words.length > 0) terms.push({ operator: "search", operand: words.join(" ") });
  return terms;
}
