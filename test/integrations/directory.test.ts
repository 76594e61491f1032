import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { eventPlaces, eventRows, eventsPage } from "../../infra/reference/integration-events.ts";
import { loadExamples, postOf } from "../../infra/reference/integration-examples.ts";
import { integrationsPage, loadIntegrations } from "../../infra/reference/integrations.ts";
import { isWanted } from "../../shared/features/integrations/event-filter.ts";
import type { Example } from "../../shared/features/integrations/example.ts";
import { type Integration, UnknownEvent } from "../../shared/features/integrations/integration.ts";

const integrations = await loadIntegrations();
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("docs/integrations.md describes the integrations as they are declared (npm run docs)", () => {
  expect(integrationsPage(integrations)).toBe(read("docs/integrations.md"));
});

test("docs/integration-events.md lists what happens to each event (npm run docs)", async () => {
  expect(await eventsPage(integrations)).toBe(read("docs/integration-events.md"));
});

test.each(integrations)("%s says of each event whether it is posted, or why not", async (name, integration) => {
  const rows = await eventRows(name, integration);
  const listed = rows.flatMap(({ events }) => events);
  const declared = [...(integration.events ?? []), ...Object.keys(integration.leavesOut ?? {})];

  expect(rows.filter(({ begins, reason }) => !begins && !reason)).toEqual([]);
  expect(declared.filter((pattern) => !listed.some((event) => covers(pattern, event)))).toEqual([]);
  // A part of an event that is said to be left out is, in an example.
  const partly = Object.keys(integration.leavesOut ?? {}).filter((event) => integration.events?.includes(event));
  expect(
    partly.filter((event) => !rows.some(({ events, reason }) => reason !== undefined && events.includes(event))),
  ).toEqual([]);
});

test.each(integrations)("%s understands no event that its table does not have", async (name, integration) => {
  const literals = read(`shared/features/integrations/webhooks/${name}/service.ts`).match(
    /(?<=")[\w:.*-]+(?=")|\b\w+(?=:)/g,
  );
  const texts = new Set(literals?.filter((text) => !text.includes("*")));
  const listed = (await eventRows(name, integration)).flatMap(({ events }) => events);
  const examples = (await loadExamples(name)).slice(0, 3);
  const unlisted = new Set<string>();
  for (const place of examples.flatMap((example) => [...eventPlaces(integration, example)]))
    for (const text of texts)
      if (
        understands(integration, place(text)) &&
        !listed.some((event) => covers(event, text) || event.startsWith(`${text}.`))
      )
        unlisted.add(text);

  expect([...unlisted]).toEqual([]);
});

const covers = (pattern: string, event: string) => isWanted(event, { only: [pattern], exclude: [] });

/** Whether the event of an example is one that the integration knows, even if the example lacks what it needs. */
function understands(integration: Integration, example: Example): boolean {
  try {
    postOf(integration, example);
    return true;
  } catch (error) {
    return !(error instanceof UnknownEvent);
  }
}
