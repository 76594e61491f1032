import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadFleet } from "../../infra/fleet.ts";
import { fleetDiagram, queuesDiagram, regenerateParts } from "../../infra/structure/diagrams.ts";

test.each([
  ["docs/architecture.md", "mermaid", 2],
  ["CONTRIBUTING.md", "ts", 3],
])("what %s shows of the code is up to date (else: npm run docs)", async (file, language, count) => {
  const document = readFileSync(file, "utf8");

  expect(await regenerateParts(document, await loadFleet())).toBe(document);
  expect(document.match(new RegExp(`<!-- made: [\\w-]+ -->\\n\\n\`\`\`${language}\\n`, "g"))).toHaveLength(count);
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

test("an unknown part is named in the error", async () => {
  await expect(regenerateParts("<!-- made: castle -->\n<!-- end -->", [])).rejects.toThrow("castle");
});
