import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadFleet } from "../../infra/fleet.ts";
import { fleetDiagram, queuesDiagram, regenerateDiagrams } from "../../infra/structure/diagrams.ts";

const document = readFileSync("docs/architecture.md", "utf8");

test("the diagrams of docs/architecture.md are up to date (else: npm run docs)", async () => {
  expect(await regenerateDiagrams(document, await loadFleet())).toBe(document);
  expect(document.match(/<!-- made: \w+ -->\n\n```mermaid/g)).toHaveLength(2);
});

test("the diagrams show every worker with its queue, and every resource that a function uses", async () => {
  const fleet = await loadFleet();
  const queues = queuesDiagram(fleet);

  for (const { kind, resource, name, spec } of fleet) {
    if (kind === "worker") {
      expect(queues).toContain(`"]] --> w-${name}["${resource}/${name}"]`);
      for (const work of spec.works)
        expect(queues).toMatch(new RegExp(`q-${spec.queue}\\[\\["[^"]*\\b${work.kind.name}\\b`));
    }
    if (spec.uses.schedules?.length) expect(queues).toContain(kind === "endpoint" ? `e-${resource}` : `w-${name}`);
  }
  expect(fleetDiagram(fleet)).toContain("endpoints --> table");
});

test("an unknown diagram is named in the error", async () => {
  await expect(regenerateDiagrams("<!-- made: castle -->\n<!-- end -->", [])).rejects.toThrow("castle");
});
