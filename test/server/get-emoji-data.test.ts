import { expect, test } from "vitest";
import { emojiTable, versionOfTable } from "../../infra/generate/emoji-table.ts";
import { send } from "../support/http.ts";
import { aPerson, call } from "../support/world.ts";

test("returns the names of Unicode emoji to anyone, the canonical one first", async () => {
  const { body } = await call("GET", "/emoji_data");

  expect(body.code_to_names["1f604"]).toContain("smile");
  expect(body.code_to_names["2764"][0]).toBe("heart");
});

test("the URL at registration may be cached forever, and changes with the table", async () => {
  const hermia = await aPerson("Hermia");
  const { server_emoji_data_url: url } = (await hermia.call("POST", "/register", { event_types: ["realm"] })).body;

  const { pathname, search } = new URL(url);
  const reply = await send("GET", pathname + search, undefined, {});

  expect(search).toBe(`?v=${versionOfTable(emojiTable())}`);
  expect(reply.headers["cache-control"]).toMatch(/^public, max-age=\d+$/);
  expect(reply.body.ignored_parameters_unsupported).toBeUndefined();
});

test("the table has each alias by which clients complete emoji", async () => {
  const { code_to_names: names } = (await call("GET", "/emoji_data")).body;

  for (const alias of ["shroom", "queer", "truffle"])
    expect(Object.values<string[]>(names).filter((codeNames) => codeNames.includes(alias))).toHaveLength(1);
});

test("the committed table is the one generated from the codes and the names", async () => {
  const { code_to_names: names } = (await call("GET", "/emoji_data")).body;

  expect(names).toEqual(
    Object.fromEntries(Object.entries(emojiTable()).map(([code, codeNames]) => [code, codeNames.split(" ")])),
  );
});
