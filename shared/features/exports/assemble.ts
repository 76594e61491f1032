import type { Context } from "./context.ts";
import { type ListName, realmTables } from "./lists.ts";
import type { Phase } from "./page.ts";
import { tarHeader, tarPadding } from "./tar.ts";

/** A part of a file that consists of lists: a text, or one of a list's stored files. */
type Part = string | { list: ListName; file: number };

const rowsOf = (list: ListName, { lists }: Context): Part[] =>
  Array.from({ length: lists.size(list).files }, (_, file) => ({ list, file }));

/** `realm.json` and the other files that consist of lists. */
const assembledFiles: { path: string; lists: readonly ListName[]; parts: (context: Context) => Part[] }[] = [
  {
    path: "realm.json",
    lists: realmTables,
    parts: (context) => [
      '{"import_source":"zulip"',
      ...realmTables.flatMap((table) => [`,\n${JSON.stringify(table)}:[`, ...rowsOf(table, context), "]"]),
      "}",
    ],
  },
  {
    path: "attachment.json",
    lists: ["zerver_attachment"],
    parts: (context) => ['{"zerver_attachment":[', ...rowsOf("zerver_attachment", context), "]}"],
  },
  ...(["uploads", "avatars", "emoji", "realm_icons"] as const).map((list) => ({
    path: `${list}/records.json`,
    lists: [list],
    parts: (context: Context) => ["[", ...rowsOf(list, context), "]"],
  })),
];

/** No file has so many parts. */
const partsPerFile = 1_000_000;

/** Writes the files that consist of lists, one part at a time; the lists must be stored. */
export const assemblePhase: Phase = async (at, context) => {
  const assembled = assembledFiles[Math.floor(at / partsPerFile)];
  if (!assembled) return {};
  const parts = assembled.parts(context);
  const texts = parts.filter((part) => typeof part === "string");
  const size =
    texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) +
    assembled.lists.reduce((sum, list) => sum + context.lists.size(list).bytes, 0);
  const index = at % partsPerFile;
  const bytes =
    index === 0 ? [tarHeader(archivePath(context, assembled.path), size, context.dataExport.requestedAt)] : [];
  // Texts are short: all of them up to the next stored rows, and these, are one page.
  let next = index;
  for (let part = parts[next++]; part !== undefined; part = parts[next++]) {
    bytes.push(typeof part === "string" ? Buffer.from(part) : await context.lists.readFile(part.list, part.file));
    if (typeof part !== "string") break;
  }
  if (next <= parts.length) return { bytes, next: at - index + next };
  return { bytes: [...bytes, tarPadding(size)], next: at - index + partsPerFile };
};

/** As in Zulip's archives, one folder contains everything. */
export const archivePath = ({ dataExport }: Context, path: string) => `export-${dataExport.id}/${path}`;
