import { administratorFactor, type CreationKind, creationLimits, limitOf } from "../../shared/base/creation-limits.ts";
import { limits } from "../../shared/base/limits.ts";

/** The limits on what people create, for the reference documentation. */

const figure = (count: number) => count.toLocaleString("en");

/** How many of a kind may be created in a day; undefined where only requests are limited. */
function perDay(kind: CreationKind): string | undefined {
  const { perDay: count, countedFor } = limitOf(kind);
  if (count === "requests") return undefined;
  return countedFor === undefined ? figure(count) : `${figure(count)} (${countedFor}'s)`.replace("week's", "week");
}

function total(kind: CreationKind): string | undefined {
  const { max, per } = limitOf(kind);
  return max === undefined
    ? undefined
    : `${figure(max)} for each ${per}`.replace("each organization", "the organization");
}

const takesItsPlace = "a new one replaces it";

/** What happens beyond a total, where nothing is refused. */
const beyond: Partial<Record<CreationKind, string>> = {
  session: "these include app passwords; another sign-in signs out one device",
  browser: "another one ends the oldest",
  eventQueue: "another one closes the least recently used",
  connection: takesItsPlace,
  picture: takesItsPlace,
  status: takesItsPlace,
  presence: takesItsPlace,
  apiKey: takesItsPlace,
};

/** A sentence about the limits of what an endpoint creates; empty if only requests are limited. */
export function creationNote(kinds: readonly CreationKind[]): string {
  const parts = kinds.flatMap((kind) => {
    const figures = [perDay(kind) && `${perDay(kind)} a day`, total(kind)].filter(Boolean);
    return figures.length > 0 ? [`${limitOf(kind).name}: ${figures.join(", ")}`] : [];
  });
  return parts.length > 0 ? `Limits: ${parts.join("; ")}.` : "";
}

/** What a registration reads at the limits of user groups, in an organization whose profiles have a copy; at most. */
export const registrationUnitsAtLimits = 320;

/** The limits on what one message or one file may have. */
const sizes = [
  ["a message", `${figure(limits.messageLength)} characters; the rest is cut off`],
  ["a topic's name", `${limits.topicLength} characters; the rest is cut off`],
  ["a direct message", `${limits.directMessageParticipants} recipients`],
  ["files in a message", `${limits.filesPerMessage}; fewer in a conversation with many people`],
  ["a picture: an avatar, an emoji, the organization's icon or logo", `${limits.pictureMib} MiB`],
  [
    "a file",
    `${limits.presignedUploadMib} MiB; from Zulip's clients on AWS ${limits.maxLambdaFileBytes / 1e6} MB ([why](clients.md#files))`,
  ],
] as const;

/** docs/limits.md. */
export const limitsPage = () => `# Limits on what people create

\`npm run docs\` generates this page from [shared/base/creation-limits.ts](../shared/base/creation-limits.ts) and
[shared/base/limits.ts](../shared/base/limits.ts). How many requests an account may make is among the [rate
limits](operating.md#rate-limits), and how many changes an organization can make a second among the [limits that follow from the
design](operating.md#limits-that-follow-from-the-design).

${creationLimitsTable()}

**Sizes**

| what | at most |
| --- | --- |
${sizes.map(([what, most]) => `| ${what} | ${most} |`).join("\n")}

- **User groups** may have at most ${limits.groupListBytes / 1e6} MB of JSON in all, with their members and permissions, because every client receives all
  of them: a registration then takes about 2 MB and at most ${registrationUnitsAtLimits} read units. They nest at most ${limits.groupLevels} levels deep. If an organization already
  exceeds a total, it keeps what it has: only additions are refused.
- **Concurrent requests.** Limits per day are atomic counters. The totals of channels, user groups, emoji, subgroups, saved snippets, lists
  in one item and a bot's storage are atomic, too. The other totals (bots, invitation links, drafts, scheduled messages, reminders, muted
  people, push devices, and the size of all user groups) are read before the change: concurrent requests may together exceed them by what
  each of them adds.
- **Administrators' tools.** An import or organization file may create everything that it contains, up to the size limits of replies. SCIM
  and single sign-on have no limit per day, because operators and directories act for everybody. SCIM is still bound by the totals of user
  groups, their sizes and their nesting.
`;

const inTotal = (kind: CreationKind) => [total(kind) ?? "–", beyond[kind]].filter(Boolean).join("; ");

/** The table of all limits, in Markdown. */
export const creationLimitsTable = () =>
  [
    `**Limits on what people create.** *A day* is what one person may create in a UTC day: beyond it, \`RATE_LIMIT_HIT\` says when the next day begins; administrators may create ${administratorFactor} times as many. *In total* is the most that may exist: beyond it, the reply is \`BAD_REQUEST\`, unless the row says what happens instead. "Requests" means as many as the rate limit allows.`,
    "",
    "| what | a day | in total |",
    "| --- | --- | --- |",
    ...(Object.keys(creationLimits) as CreationKind[]).map(
      (kind) => `| ${limitOf(kind).name} | ${perDay(kind) ?? "requests"} | ${inTotal(kind)} |`,
    ),
  ].join("\n");
