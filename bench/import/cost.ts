import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { currentTrace, withTrace } from "../../shared/base/observability/trace.ts";
import { newProgress, writeImport } from "../../shared/features/import/write.ts";
import { planZulipImport } from "../../shared/features/import/zulip/plan.ts";
import { leaveSeparateTables, useSeparateTable } from "../../test/support/table/separate-table.ts";
import { startBenchHost } from "../host/bench-host.ts";
import { dollars, prices } from "../month/prices.ts";
import { type Section, table } from "../section.ts";
import { writeArchive } from "./archive.ts";
import type { ImportFigures } from "./section.ts";

const sizes = [4_000, 20_000] as const;
const people = 200;
const scaledTo = { messages: 1_000_000, people: 1_000 };

interface Counted {
  messages: number;
  /** Without those of the index for searches. */
  writeUnits: number;
  indexWriteUnits: number;
  readUnits: number;
  tableCalls: number;
  /** Requests to S3. */
  otherCalls: number;
}

/** What an import costs on AWS, scaled from two smaller ones: their difference is what messages cost, without what people do. */
export const importCost: Section<Counted[]> = {
  name: "import-cost",
  document: "docs/cost.md",
  title: "What moving in costs",
  measure: async () => {
    const host = await startBenchHost();
    try {
      const counted: Counted[] = [];
      for (const messages of sizes) counted.push(await countImport(messages));
      return counted;
    } finally {
      await host.stop();
    }
  },
  text: (counted, { import: measured }) => {
    const scaled = scale(counted);
    const { messages } = scaled;
    const perMessage = (count: number) => (count / messages).toFixed(2);
    const rows: [string, number, number][] = [
      ["write units of messages and what belongs to them", scaled.writeUnits, prices.writeUnit],
      ["write units of the index for searches", scaled.indexWriteUnits, prices.writeUnit],
      ["read units", scaled.readUnits, prices.readUnit],
      ["requests to S3", scaled.otherCalls, prices.putRequest],
    ];
    const sum = rows.reduce((total, [, count, price]) => total + count * price, 0);
    return [
      `The cost of \`npm run import\` for ${messages.toLocaleString("en")} messages and ${scaledTo.people.toLocaleString("en")} people, scaled from imports of ${sizes.map((size) => size.toLocaleString("en")).join(" and ")} messages of a`,
      "Zulip archive in which a quarter of the messages are direct, with reactions, mentions, edits and files:",
      "",
      table(
        ["", "count", "a message", "dollars"],
        [
          ...rows.map(([what, count, price]) => [
            ...[what, Math.round(count).toLocaleString("en"), perMessage(count)],
            dollars(count * price),
          ]),
          ["total", "", "", dollars(sum)],
        ],
      ),
      "",
      `A new table accepts 4,000 write units a second at first, so writing takes ${minutesAt(scaled.writeUnits + scaled.indexWriteUnits)} minutes. The command itself needs ${minutesOf(measured, messages)}.`,
    ].join("\n");
  },
};

async function countImport(messages: number): Promise<Counted> {
  const folder = mkdtempSync(join(tmpdir(), "skein-bench-import-"));
  useSeparateTable();
  try {
    writeArchive(folder, { people, messages });
    const options = { ownerEmail: undefined, oldUrl: undefined, secret: "a secret", now: 1_750_000_000 };
    const plan = planZulipImport(folder, options);
    let beforeIndex = 0;
    const { trace } = await withTrace(() =>
      writeImport(plan, "Harfleur", newProgress("bench"), {
        report: (done) => {
          if (done === plan.messageCount) beforeIndex = currentTrace()?.writeUnits ?? 0;
        },
      }),
    );
    const { writeUnits, readUnits, tableCalls, otherCalls } = trace;
    console.log(`  ${messages} messages counted`);
    return {
      messages,
      writeUnits: beforeIndex,
      indexWriteUnits: writeUnits - beforeIndex,
      readUnits,
      tableCalls,
      otherCalls,
    };
  } finally {
    await leaveSeparateTables();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How often each word of the index is written: in a segment of 2,048 messages, and in each one that four smaller ones become. */
const indexPasses = (messages: number) => 1 + Math.min(3, Math.floor(Math.log2(messages / 2_048) / 2));
/** Units of what a person has read of this many messages: an item of at most 2 KB. */
const messagesPerMark = 32_768;
const unitsPerMark = 2;

function scale(counted: readonly Counted[]): Counted {
  const [small, large] = counted as [Counted, Counted];
  const { messages } = scaledTo;
  const scaled = (name: keyof Counted) => {
    const perMessage = (large[name] - small[name]) / (large.messages - small.messages);
    return perMessage * messages + (small[name] - perMessage * small.messages) * (scaledTo.people / people);
  };
  const marks = Math.ceil(messages / messagesPerMark) * scaledTo.people * unitsPerMark;
  return {
    messages,
    writeUnits: scaled("writeUnits") + marks,
    indexWriteUnits:
      (large.indexWriteUnits / large.messages) * messages * (indexPasses(messages) / indexPasses(large.messages)),
    ...{ readUnits: scaled("readUnits"), tableCalls: scaled("tableCalls"), otherCalls: scaled("otherCalls") },
  };
}

const minutesAt = (writeUnits: number) => Math.ceil(writeUnits / 4_000 / 60);

const minutesOf = (measured: ImportFigures | undefined, messages: number) =>
  measured
    ? `${Math.ceil((measured.cpuSeconds * (messages / measured.messages)) / 60)} minutes of CPU, as on one machine`
    : "about as long";
