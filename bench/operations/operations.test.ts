import { expect, test } from "vitest";
import { isEndpoint, loadFleet, pathOf } from "../../infra/fleet.ts";
import { router } from "../../infra/local/routes.ts";
import { operations, uncounted } from "./operations.ts";

/** Example paths for placeholders that replies fill. */
const examplePaths: Record<string, string> = {
  "upload a file.url": "/user_uploads/1/a/b.png",
  "a thumbnail.url": "/user_uploads/thumbnail/1/a/b.png/840x560.webp",
  "a temporary link.url": "/user_uploads/temporary/t/b.png",
  "set an avatar.avatar_url": "/user_avatars/1/2.png",
  "an emoji.source_url": "/user_avatars/1/emoji/images/2.png",
};

const fleet = (await loadFleet()).filter(isEndpoint);
const lineOf = ({ spec }: (typeof fleet)[number]) => `${spec.method} ${pathOf(spec)}`;

/** The endpoint of each operation; undefined if there is none. */
const counted = operations.map(({ line }) => {
  const filled = line.replace(/\{([^}]+)\}/g, (_, placeholder: string) => examplePaths[placeholder] ?? "1");
  const [, method = "", path = ""] = /^(\S+) (.*)$/.exec(filled) ?? [];
  const found = router(fleet)(method, path.startsWith("//") ? path.slice(1) : `/api/v1${path}`);
  return found && lineOf(found.member);
});

test("every operation has an endpoint and a unique name", () => {
  expect(operations.filter((_, index) => counted[index] === undefined).map(({ name }) => name)).toEqual([]);
  expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
});

test("the cost of every endpoint is counted, or there is a reason why not", () => {
  const coveredLines = new Set([...counted, ...Object.keys(uncounted)]);

  expect(fleet.map(lineOf).filter((line) => !coveredLines.has(line))).toEqual([]);
});

test("no exception is for a counted or nonexistent endpoint", () => {
  const lines = new Set(fleet.map(lineOf));

  expect(Object.keys(uncounted).filter((line) => counted.includes(line) || !lines.has(line))).toEqual([]);
});
