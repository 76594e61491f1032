import { contentOf } from "../../shared/features/integrations/content.ts";
import { isWanted } from "../../shared/features/integrations/event-filter.ts";
import type { Example } from "../../shared/features/integrations/example.ts";
import { type Integration, type Post, UnknownEvent } from "../../shared/features/integrations/integration.ts";
import { htmlOf, loadExamples, postOf } from "./integration-examples.ts";

/** What becomes of each event of each service, found by giving the integrations their own examples. */

interface EventRow {
  /** Several if they are left out for the same reason. */
  events: readonly string[];
  /** Of an event that is declared by a pattern, the event. Empty if the event says it all. */
  action: string;
  /** How the message begins that is posted. */
  begins?: string;
  /** Why nothing is posted. */
  reason?: string;
}

const maxBeginningCharacters = 80;

/** A table of events: those that are posted, by action, and those that are left out. */
export async function eventRows(name: string, integration: Integration): Promise<EventRow[]> {
  const { events = [], leavesOut = {} } = integration;
  const posted: EventRow[] = [];
  const leftOut = new Map<string, EventRow>();
  const seen = new Set<string>();
  for (const example of await loadExamples(name)) {
    const post = postOf(integration, example);
    const event = post ? (post.event ?? "") : eventNamed(integration, example);
    const action = actionOf(example[1], event);
    const key = JSON.stringify([event, action, post !== undefined]);
    if (seen.has(key)) continue;
    seen.add(key);
    if (post) posted.push({ ...namesOf(integration, event, action), begins: await beginningOf(post) });
    else leftOut.set(key, { events: [event], action, reason: leavesOut[event] ?? "" });
  }
  // Those that are left out whatever their action are described once.
  const partly = [...leftOut.values()].filter(({ events: [event = ""] }) => events.includes(event));
  const whole = Object.entries(leavesOut).filter(([event]) => !events.includes(event));
  const order = (event: string) => events.findIndex((pattern) => isWanted(event, { only: [pattern], exclude: [] }));
  return [
    ...[...posted, ...partly].sort(({ events: [a = ""] }, { events: [b = ""] }) => order(a) - order(b)),
    ...[...Map.groupBy(whole, ([, reason]) => reason)].map(([reason, same]) => ({
      ...{ events: same.map(([event]) => event), action: "", reason },
    })),
  ];
}

function namesOf({ events = [] }: Integration, event: string, action: string): Pick<EventRow, "events" | "action"> {
  const pattern = events.find((one) => one.includes("*") && isWanted(event, { only: [one], exclude: [] }));
  return pattern === undefined ? { events: [event], action } : { events: [pattern], action: event };
}

/** The event of an example that is not posted: the first text of it that is declared as one. */
function eventNamed({ events = [], leavesOut = {} }: Integration, [headers, payload]: Example): string {
  const declared = { only: [...events, ...Object.keys(leavesOut)], exclude: [] };
  const own = textsIn(payload);
  const pairs = own.flatMap((one) => own.map((other) => `${one}.${other}`));
  return [...textsIn(headers), ...pairs, ...own].find((text) => isWanted(text, declared)) ?? "";
}

const textsIn = (value: unknown): string[] =>
  typeof value === "object" && value !== null ? Object.values(value).filter((one) => typeof one === "string") : [];

function actionOf(payload: unknown, event: string): string {
  const { action, object_attributes: it } = payload as {
    action?: unknown;
    object_attributes?: Record<string, unknown>;
  };
  const given = action ?? it?.action ?? it?.status;
  return typeof given === "string" && !event.endsWith(given) ? given : "";
}

async function beginningOf(post: Post): Promise<string> {
  const html = await htmlOf(contentOf(post));
  const text = html
    .replaceAll(/<\/?(?:a|strong|em|code|span)\b[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&#x(\w+);/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll(/&(lt|gt|amp|quot);/g, (_, code) => ({ lt: "<", gt: ">", quot: '"' })[code as string] ?? "&")
    .replaceAll(/\s+/g, " ")
    .trim();
  return text.length <= maxBeginningCharacters
    ? text
    : `${text.slice(0, maxBeginningCharacters).replace(/ \S*$/, "")} …`;
}

/** The places of an example where a service names its events: a text that is changed there makes an event that is unknown. */
export function* eventPlaces(
  integration: Integration,
  [headers, payload]: Example,
): Generator<(event: string) => Example> {
  for (const name of Object.keys(headers)) {
    const place = (event: string): Example => [{ ...headers, [name]: event }, payload];
    if (isUnknown(integration, place("skein.unknown"))) yield place;
  }
  if (typeof payload !== "object" || payload === null) return;
  for (const [field, value] of Object.entries(payload)) {
    if (typeof value === "string") {
      const place = (event: string): Example => [headers, { ...payload, [field]: event }];
      if (isUnknown(integration, place("skein.unknown"))) yield place;
    } else if (typeof value === "object" && value !== null && !Array.isArray(value))
      for (const inner of Object.keys(value)) {
        const place = (event: string): Example => [headers, { ...payload, [field]: { ...value, [inner]: event } }];
        if (isUnknown(integration, place("skein.unknown"))) yield place;
      }
  }
}

function isUnknown(integration: Integration, example: Example): boolean {
  try {
    postOf(integration, example);
  } catch (error) {
    return error instanceof UnknownEvent;
  }
  return false;
}

/** docs/integration-events.md. */
export async function eventsPage(integrations: readonly (readonly [string, Integration])[]): Promise<string> {
  const sections = await Promise.all(integrations.map(([name, integration]) => sectionOf(name, integration)));
  return `${[introduction, ...sections].join("\n\n")}\n`;
}

async function sectionOf(name: string, integration: Integration): Promise<string> {
  const { title, summary, events } = integration;
  const rows = await eventRows(name, integration);
  const examples = await loadExamples(name);
  const hasUnknown = examples.some((example) => !eventPlaces(integration, example).next().done);
  return [
    `## ${title}`,
    events ? summary : `${summary} There are no event types: everything in the service's format is posted.`,
    [
      "| event, action | what is done | example, or what is left out |",
      "|---|---|---|",
      ...rows.map(
        ({ events: own, action, begins, reason }) =>
          `| ${`${own.map(code).join(", ")} ${code(action)}`.trim()} | ${begins === undefined ? "left out" : "posted"} | ${begins === undefined ? reason : code(begins)} |`,
      ),
      ...(hasUnknown ? ["| any other | not posted | the bot's owner is notified once |"] : []),
    ].join("\n"),
  ].join("\n\n");
}

const code = (text: string): string => (text === "" ? "" : `\`${text.replaceAll("`", "'").replaceAll("|", "\\|")}\``);

const introduction = `# What happens to each event

<!-- Written by \`npm run docs\` from the declarations and examples in shared/features/integrations/webhooks. -->

What the [incoming integrations](integrations.md) do with each service's events:

- **posted**: the integration posts a message that begins like the example.
- **left out**: on purpose, the delivery is accepted but no message is posted, and nobody is notified. If an event has rows of both kinds,
  the last column says which part is left out. An action without a row of its own is treated like the other actions of its event.
- **any other**: for example an event that the service has added since. It is accepted but not posted, and the bot's owner is notified once.

Use these names in \`only_events\` and \`exclude_events\`. Events that the URL's parameters exclude, such as those of other \`branches\`, are
not listed. A delivery that names no event, or lacks data that the message needs, is refused, and the bot's owner is notified once.`;
