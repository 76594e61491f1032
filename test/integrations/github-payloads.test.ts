import examples from "@octokit/webhooks-examples" with { type: "json" };
import { expect, test } from "vitest";
import { anIntegration } from "./deliveries.ts";

const published = examples as unknown as { name: string; examples: object[] }[];

const isBroken = (text: string) =>
  /undefined|null\b|\[object|NaN|\*\*|\]\(|^\s*$| {2}|\(\)|<p>[.:]| \.<\/p>/.test(
    text.replaceAll(/<blockquote>.*?<\/blockquote>|<code>.*?<\/code>/gs, "x"),
  );

test("every payload that GitHub publishes is accepted, and none makes a broken message", async () => {
  const all = await anIntegration("github");
  const statuses = new Set<number>();
  for (const { name, examples: payloads } of published) {
    const replies = payloads.map((payload) => all.post(payload, { headers: { "x-github-event": name } }));
    for (const { status } of await Promise.all(replies)) statuses.add(status);
  }

  const messages = await all.messages(true, 1000);
  expect([...statuses]).toEqual([200]);
  expect(messages.length).toBeGreaterThan(150);
  expect(messages.filter(({ topic, content }) => topic === "" || isBroken(content))).toEqual([]);
}, 200_000);
