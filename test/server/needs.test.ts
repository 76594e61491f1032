import { describe, expect, expectTypeOf, test } from "vitest";
import { type Need, onDemand } from "../../shared/base/needs.ts";
import { int, string } from "../../shared/base/schema/params.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadNeeds, readEarly } from "../../shared/services/http/load-needs.ts";
import { withSharedReads } from "../../shared/store/table/shared-reads.ts";

/** The needs of endpoints: how they are loaded, in which order they are refused, and what their types refuse. */

const context = { params: { id: 7 }, request: {} as never };
const value = <T>(load: () => Promise<T> | T): Need<T> => ({ load: async () => load() });
const refusal = (message: string, ms: number) =>
  value(async () => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    throw new Error(message);
  });

describe("needs", () => {
  test("are loaded at the same time, and find each other in any order", async () => {
    const started: string[] = [];
    const first: Need<string, { second: Promise<number>; params: { id: number } }> = {
      load: async ({ second, params }) => {
        started.push("first");
        return `${params.id} ${await second}`;
      },
    };
    const second = value(async () => {
      started.push("second");
      return 2;
    });
    const third = value(() => started.push("third"));

    expect(await loadNeeds({ first, second, third }, context)).toMatchObject({ first: "7 2", second: 2 });
    expect(started).toEqual(["second", "first", "third"]);
  });

  test("are refused in the order in which they are declared, whichever is refused first", async () => {
    const needs = { ready: value(() => 1), slow: refusal("slow", 20), fast: refusal("fast", 0) };

    await expect(loadNeeds(needs, context)).rejects.toThrow("slow");
    await expect(loadNeeds({ fast: needs.fast, slow: needs.slow }, context)).rejects.toThrow("fast");
  });

  test("on demand are loaded when they are asked for, each time anew", async () => {
    let count = 0;
    const { next } = await loadNeeds({ next: onDemand(value(() => ++count)) }, context);

    expect(count).toBe(0);
    expect([await next(), await next()]).toEqual([1, 2]);
  });

  test("are read early by parameters that are valid; others, and failures, are ignored", async () => {
    const seen: unknown[] = [];
    type Early = Need<number, { params: { id: number; name: string; undeclared: string } }>;
    const early: Record<string, Early> = {
      id: { early: (sent) => seen.push(sent("id")), load: async () => 1 },
      failing: {
        early: () => {
          throw new Error("refused");
        },
        load: async () => 1,
      },
      name: { early: (sent) => seen.push(sent("name"), sent("undeclared")), load: async () => 1 },
    };
    const sent: Record<string, string> = { id: "7", name: "a".repeat(6), undeclared: "1" };
    const read = (raw: Record<string, string>) =>
      withSharedReads(async () =>
        readEarly(early, { id: int(), name: string({ max: 5 }) }, { rawParameter: (name) => raw[name] }),
      );

    await read(sent);
    await read({ id: '"7"', name: "Puck" });

    expect(seen).toEqual([7, undefined, undefined, undefined, "Puck", undefined]);
  });
});

test("a handler gets the types of its needs, and a declaration without what a need is loaded from is an error", () => {
  const spec = { method: "GET", path: "/x", summary: "", returns: {}, uses: {} } as const;
  const named: Need<{ name: string }, { params: { id: number }; realm: Promise<boolean> }> = {
    load: async () => ({ name: "" }),
  };
  const realm = value(() => true);

  endpoint({ ...spec, caller: "user", params: { id: int() }, needs: { realm, named } }, async (given) => {
    expectTypeOf(given.named).toEqualTypeOf<{ name: string }>();
    expectTypeOf(given.realm).toEqualTypeOf<boolean>();
  });
  // @ts-expect-error The parameter `id` is not declared.
  endpoint({ ...spec, caller: "user", params: {}, needs: { realm, named } }, async () => {});
  // @ts-expect-error Nothing gives it the realm.
  endpoint({ ...spec, caller: "user", params: { id: int() }, needs: { named } }, async () => {});
});
