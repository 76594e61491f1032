import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { open, submit } from "../support/accounts.ts";
import type { PrivateHost } from "../support/hosts/private-host.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson } from "../support/world.ts";
import { aNewOrganization, anArchive, owner } from "./new-organization.ts";

/** An owner imports an archive without a terminal. */

const password = "a-book-drowned";
/** More than one part. */
const archive = anArchive(randomBytes(17 * 1024 * 1024));
let host: PrivateHost;
beforeAll(async () => {
  host = await aNewOrganization(password);
}, 60_000);
afterAll(() => host?.stop());

const create = (size = archive.length, filename = "export.tar.gz") =>
  host.as(owner, "POST", "/realm/import", { filename, size });
const stateOf = (token: string) => host.as("", "GET", `/realm/import/${token}`) as Promise<any>;

async function uploadPart(part: number, partSize: number): Promise<number> {
  const { upload_url, upload_headers } = (await host.do(owner, "POST", "/realm/import/parts", { part })) as any;
  const body = new Uint8Array(archive.subarray(part * partSize, (part + 1) * partSize));
  return (await fetch(upload_url, { method: "PUT", headers: upload_headers, body })).status;
}

/** Uploads the archive, and waits for its check. */
async function checked(): Promise<string> {
  const { token, part_size, parts } = (await create()) as any;
  for (let part = 0; part < parts; part++) expect(await uploadPart(part, part_size)).toBe(200);
  await host.do(owner, "POST", "/realm/import/check");
  await eventually(async () => (await stateOf(token)).state !== "checking");
  return token;
}

const page = async (token: string, method = "GET", headers: Record<string, string> = {}) => {
  const response = await fetch(`${host.url}/imports/${token}`, { method, headers });
  return { status: response.status, refresh: response.headers.get("refresh"), text: await response.text() };
};

test.each(["administrator", "moderator", "member", "guest"] as const)("a %s may not import", async (role) => {
  const person = await aPerson("Caliban", { role });
  const calls = [
    person.call("POST", "/realm/import", { filename: "a.zip", size: 1 }),
    person.call("POST", "/realm/import/parts", { part: 0 }),
    person.call("POST", "/realm/import/check"),
    person.call("POST", "/realm/import/confirm"),
  ];
  for (const { status, body } of await Promise.all(calls))
    expect([status, body.msg]).toEqual([400, "Must be an organization owner"]);
});

test("there is no page of an import that does not exist, and nothing to give up", async () => {
  const path = `/imports/${"x".repeat(32)}`;

  for (const { status } of [await open(path), await submit(path, {})]) expect(status).toBe(404);
});

test("an organization that people use is not replaced", async () => {
  await aPerson("Caliban");
  const person = await aPerson("Prospero", { role: "owner" });

  const { status, body } = await person.call("POST", "/realm/import", { filename: "a.zip", size: 1 });

  expect(status).toBe(400);
  expect(body.msg).toMatch(/^There is an organization already, and it has .*other people/);
});

test("what cannot be imported is refused before it is uploaded", async () => {
  expect(await create(1, "export.rar")).toMatchObject({ status: 400, msg: "Upload a .zip or a .tar.gz file." });
  expect(await create(1024 ** 3 + 1)).toMatchObject({ status: 413, msg: expect.stringContaining("1024 MB") });
  expect(await host.as(owner, "POST", "/realm/import/check")).toMatchObject({
    ...{ status: 400, msg: "There is no import. Upload an archive first." },
  });
  for (const [method, path] of [
    ["GET", "/realm/import/wrong"],
    ["DELETE", "/realm/import/wrong"],
  ] as const)
    expect(await host.as("", method, path)).toMatchObject({ status: 404, code: "BAD_REQUEST" });
  expect(await page("wrong")).toMatchObject({ status: 404, text: expect.stringContaining("no such import") });
  expect(await page("wrong", "POST")).toMatchObject({ status: 404 });
});

test("each step needs the one before it", async () => {
  const { token, part_size } = (await create()) as any;
  expect(await stateOf(token)).toMatchObject({ state: "uploading", filename: "export.tar.gz", size: archive.length });
  expect(await page(token)).toMatchObject({ status: 200, text: expect.stringContaining("has not begun") });
  for (const part of [-1, 2])
    expect(await host.as(owner, "POST", "/realm/import/parts", { part })).toMatchObject({ status: 400 });
  expect([await uploadPart(0, part_size), await uploadPart(0, part_size)]).toEqual([200, 412]);
  expect(await host.as(owner, "POST", "/realm/import/check")).toMatchObject({
    ...{ status: 400, msg: "Part 1 of the archive has not been uploaded." },
  });
  expect(await host.as(owner, "POST", "/realm/import/confirm")).toMatchObject({ status: 400 });

  expect(await host.as("", "DELETE", `/realm/import/${token}`)).toMatchObject({ status: 200, state: "failed" });
  expect(await host.as("", "DELETE", `/realm/import/${token}`)).toMatchObject({ status: 200, state: "failed" });
  expect(await host.as(owner, "POST", "/realm/import/parts", { part: 1 })).toMatchObject({ status: 400 });
});

test("another upload takes the place of one that is not being checked or imported", async () => {
  const first = await checked();
  expect(await stateOf(first)).toMatchObject({ state: "checked" });

  const { token } = (await create()) as any;

  expect(await stateOf(first)).toMatchObject({ status: 404 });
  expect(await stateOf(token)).toMatchObject({ state: "uploading" });
});

test("an owner imports an archive, and signs in again with the same password", async () => {
  const token = await checked();
  const { report, name, state } = await stateOf(token);
  expect([state, name, report]).toEqual(["checked", "Milan", expect.stringContaining("Imported:")]);

  await host.do(owner, "POST", "/realm/import/confirm");
  expect(await host.as(owner, "POST", "/realm/import/confirm")).toMatchObject({ status: 400 });
  const shown = await page(token);
  expect([shown.status, shown.refresh, shown.text]).toEqual([200, "5", expect.stringContaining("is being imported")]);
  expect(await create()).toMatchObject({ msg: "An archive is being checked or imported already." });
  const foreign = { "sec-fetch-site": "cross-site" };
  expect(await page(token, "POST", foreign)).toMatchObject({ status: 400 });
  await eventually(async () => (await stateOf(token)).state !== "importing");

  expect(await stateOf(token)).toMatchObject({ state: "done" });
  expect(await page(token)).toMatchObject({ refresh: null, text: expect.stringContaining("has been imported") });
  const signedIn = (await host.as("", "POST", "/fetch_api_key", { username: owner, password })) as any;
  const authorization = `Basic ${Buffer.from(`${owner}:${signedIn.api_key}`).toString("base64")}`;
  const response = await fetch(`${host.url}/api/v1/streams`, { headers: { authorization } });
  expect(((await response.json()) as any).streams.map((stream: any) => stream.name)).toContain("island");
}, 120_000);

test("an import that is given up on its page leaves everything as it was", async () => {
  const other = await aNewOrganization(password);
  const [imported, before] = [host, other];
  host = before;
  try {
    const token = await checked();
    await host.do(owner, "POST", "/realm/import/confirm");

    const answer = await page(token, "POST");

    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("is being given up")]);
    await eventually(async () => (await stateOf(token)).state !== "importing");
    expect(await stateOf(token)).toMatchObject({ state: "failed", problem: expect.stringContaining("given up") });
    expect(await page(token)).toMatchObject({ text: expect.stringContaining("Everything is as it was before") });
    const { realm_name } = (await host.do(owner, "POST", "/register", { fetch_event_types: ["realm"] })) as any;
    expect(realm_name).toBe("Anew");
  } finally {
    host = imported;
    await other.stop();
  }
}, 120_000);
