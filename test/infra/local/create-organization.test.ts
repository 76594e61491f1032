import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOrganization } from "../../../shared/features/bootstrap/create.ts";
import { parseOrganizationFile } from "../../../shared/features/bootstrap/organization-file.ts";
import { findMessages } from "../../../shared/store/messages/messages.ts";
import { findOrganization } from "../../../shared/store/organization/organization.ts";
import { withConsistentReads } from "../../../shared/store/table/consistency.ts";
import { lagReads } from "../../support/table/lagging-table.ts";
import { leaveSeparateTables, useSeparateTable } from "../../support/table/separate-table.ts";
import { isLocal } from "../../support/world.ts";

const root = resolve(import.meta.dirname, "../../..");

describe.skipIf(!isLocal())("on a table whose reads lag (a separate one, which a deployed fleet does not have)", () => {
  let stopLagging = () => {};
  beforeEach(async () => {
    useSeparateTable();
    stopLagging = lagReads({ indexMs: () => 500, baseMs: () => 150, longestMs: 500 });
  });
  afterEach(() => {
    stopLagging();
    return leaveSeparateTables();
  });

  test("the sample organization is created with all of its messages, mentions and links to channels", async () => {
    const file = parseOrganizationFile(readFileSync(resolve(root, "organization.sample.json"), "utf8"));
    const texts = file.conversations.flatMap(({ messages }) => messages.map(({ content }) => content));

    expect(await createOrganization(file, process.env, root)).toBe(true);

    const messages = await withConsistentReads(() => findMessages(texts.map((_, index) => index + 1)));
    expect(messages.map((message) => message?.content).sort()).toEqual(texts.sort());
    const html = messages.map((message) => message?.html ?? "").join("\n");
    const countOf = (pattern: RegExp, text: string) => text.match(pattern)?.length ?? 0;
    const source = texts.join("\n");
    expect(countOf(/class="user-mention"/g, html)).toBe(countOf(/@\*\*/g, source));
    expect(countOf(/class="stream-topic"/g, html)).toBe(countOf(/#\*\*[^*]+>/g, source));
    expect(countOf(/@\*\*/g, source)).toBeGreaterThan(0);
    expect(await withConsistentReads(findOrganization)).toMatchObject({ name: file.name });
  });
});
