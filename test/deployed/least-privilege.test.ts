import { request } from "node:http";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { target } from "../support/target.ts";
import { deployStack } from "./cdk.ts";

/** A second, small fleet in the same MiniStack: a function whose `uses` lacks a grant, and the same function with it. */

let host: string;

beforeAll(async () => {
  const { environment, url } = target();
  const root = join(import.meta.dirname, "fixture");
  const outputs = await deployStack("SkeinPrivilege", environment, { root, removal: "destroy" });
  host = `${outputs.ApiId}.execute-api.localhost:${new URL(url).port}`;
});

const outcomeOf = (name: string) =>
  new Promise<unknown>((done, fail) => {
    const options = { method: "POST", headers: { host } };
    const outgoing = request(new URL(`/api/v1/${name}`, target().url), options, async (response) => {
      done(JSON.parse(Buffer.concat(await response.toArray()).toString()));
    });
    outgoing.once("error", fail);
    outgoing.end();
  });

test("IAM allows a write that the function's declaration names", async () => {
  expect(await outcomeOf("write-with-grant")).toEqual({ result: "success", msg: "", outcome: "written" });
});

test("IAM refuses a write that the function's declaration does not name", async () => {
  expect(await outcomeOf("write-without-grant")).toMatchObject({ outcome: "AccessDeniedException" });
});
