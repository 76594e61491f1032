import { afterAll, beforeAll, expect, test } from "vitest";
import { attachmentsOf, multipart, png, put, sendFile } from "../support/files.ts";
import { type OrganizationSession, openOrganization } from "../support/organization-session.ts";
import { aPerson, type Person } from "../support/world.ts";

/** The organization's settings for files. */

const mib = 1024 * 1024;
const overQuota = {
  status: 400,
  body: { result: "error", code: "BAD_REQUEST", msg: "Upload would exceed your organization's upload quota." },
};

let organization: OrganizationSession;
let [owner, ariel, caliban]: Person[] = [];
beforeAll(async () => {
  organization = await openOrganization();
  [owner, ariel, caliban] = [
    await aPerson("Prospero", { role: "owner" }),
    await aPerson("Ariel"),
    await aPerson("Caliban"),
  ];
});
afterAll(() => organization.restoreSettings());

const usedBytes = async (): Promise<number> => (await owner!.call("GET", "/attachments")).body.upload_space_used;
const change = async (params: Record<string, unknown>) =>
  expect((await owner!.call("PATCH", "/realm", params)).status).toBe(200);
const presign = (person: Person, size: number) =>
  person.call("POST", "/user_uploads/presigned", { filename: "a.bin", size });

/** Sets the quota so that one to two MiB are free; returns the number of free bytes. */
async function setQuotaWithRoom(): Promise<number> {
  const before = await usedBytes();
  const upload_quota_mib = Math.ceil(before / mib) + 1;
  await change({ upload_quota_mib });
  return upload_quota_mib * mib - before;
}

test("no kind of upload by anyone can exceed the organization's quota", async () => {
  const room = await setQuotaWithRoom();
  const before = await usedBytes();
  const content = Buffer.alloc(Math.floor(room * 0.6));

  const concurrent = await Promise.all([sendFile(ariel!, "a.bin", content), sendFile(caliban!, "a.bin", content)]);
  const third = await sendFile(caliban!, "b.bin", content);
  const presigned = await presign(caliban!, content.length);

  expect(concurrent.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(concurrent.find(({ status }) => status === 400)).toMatchObject(overQuota);
  expect([third, presigned]).toMatchObject([overQuota, overQuota]);
  expect((await presign(caliban!, 1000)).status).toBe(200);
  expect(await usedBytes()).toBe(before + content.length);
});

test("a file up to the quota is accepted, one byte more is refused, and deletion frees space", async () => {
  const room = await setQuotaWithRoom();

  expect(await sendFile(ariel!, "over.bin", Buffer.alloc(room + 1))).toMatchObject(overQuota);
  expect(await presign(ariel!, room + 1)).toMatchObject(overQuota);
  expect((await presign(ariel!, room)).status).toBe(200);
  expect((await sendFile(ariel!, "full.bin", Buffer.alloc(room))).status).toBe(200);
  expect(await sendFile(caliban!, "byte.bin", "a")).toMatchObject(overQuota);

  const { id } = (await attachmentsOf(ariel!)).find(({ name }) => name === "full.bin");
  await ariel!.do("DELETE", `/attachments/${id}`);

  expect((await sendFile(caliban!, "byte.bin", "a")).status).toBe(200);
});

test("a presigned upload that is completed over quota is not listed", async () => {
  const room = await setQuotaWithRoom();
  const content = Buffer.alloc(Math.floor(room * 0.6));
  const { body } = await presign(caliban!, content.length);
  expect(await put(body.upload_url, body.upload_headers, content)).toBe(200);
  await sendFile(ariel!, "first.bin", content);

  const completed = await caliban!.call("POST", "/user_uploads/presigned/complete", { upload_id: body.upload_id });

  expect(completed).toMatchObject(overQuota);
  expect((await attachmentsOf(caliban!)).map(({ path_id }) => path_id)).not.toContain(body.upload_id);
});

test("if avatar changes are disabled, only administrators can change theirs", async () => {
  await change({ avatar_changes_disabled: true });
  const send = (person: Person) => {
    const form = multipart([{ filename: "face.png", content: png }]);
    return person.call("POST", "/users/me/avatar", {}, { credentials: person, ...form });
  };
  const disabled = {
    status: 400,
    body: { result: "error", code: "BAD_REQUEST", msg: "Avatar changes are disabled in this organization." },
  };

  expect(await send(ariel!)).toMatchObject(disabled);
  expect(await ariel!.call("DELETE", "/users/me/avatar")).toMatchObject(disabled);
  expect((await ariel!.call("GET", "/users/me")).body.avatar_version).toBe(1);
  expect((await send(owner!)).status).toBe(200);
  expect((await owner!.call("DELETE", "/users/me/avatar")).status).toBe(200);
  await change({ avatar_changes_disabled: false });
  expect((await send(ariel!)).status).toBe(200);
});
