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

const used = async (): Promise<number> => (await owner!.call("GET", "/attachments")).body.upload_space_used;
const setting = async (params: Record<string, unknown>) =>
  expect((await owner!.call("PATCH", "/realm", params)).status).toBe(200);
const offer = (person: Person, size: number) =>
  person.call("POST", "/user_uploads/presigned", { filename: "a.bin", size });

/** Sets the quota so that one to two MiB are free; returns the number of bytes. */
async function makeRoom(): Promise<number> {
  const before = await used();
  const upload_quota_mib = Math.ceil(before / mib) + 1;
  await setting({ upload_quota_mib });
  return upload_quota_mib * mib - before;
}

test("no kind of upload by anyone can exceed the organization's quota", async () => {
  const room = await makeRoom();
  const before = await used();
  const most = Buffer.alloc(Math.floor(room * 0.6));

  const together = await Promise.all([sendFile(ariel!, "a.bin", most), sendFile(caliban!, "a.bin", most)]);
  const third = await sendFile(caliban!, "b.bin", most);
  const offered = await offer(caliban!, most.length);

  expect(together.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(together.find(({ status }) => status === 400)).toMatchObject(overQuota);
  expect([third, offered]).toMatchObject([overQuota, overQuota]);
  expect((await offer(caliban!, 1000)).status).toBe(200);
  expect(await used()).toBe(before + most.length);
});

test("a file up to the quota is accepted, one byte more is refused, and deletion frees space", async () => {
  const room = await makeRoom();

  expect(await sendFile(ariel!, "over.bin", Buffer.alloc(room + 1))).toMatchObject(overQuota);
  expect(await offer(ariel!, room + 1)).toMatchObject(overQuota);
  expect((await offer(ariel!, room)).status).toBe(200);
  expect((await sendFile(ariel!, "full.bin", Buffer.alloc(room))).status).toBe(200);
  expect(await sendFile(caliban!, "byte.bin", "a")).toMatchObject(overQuota);

  const { id } = (await attachmentsOf(ariel!)).find(({ name }) => name === "full.bin");
  await ariel!.do("DELETE", `/attachments/${id}`);

  expect((await sendFile(caliban!, "byte.bin", "a")).status).toBe(200);
});

test("a presigned upload that is completed over quota is not listed", async () => {
  const room = await makeRoom();
  const content = Buffer.alloc(Math.floor(room * 0.6));
  const { body } = await offer(caliban!, content.length);
  expect(await put(body.upload_url, body.upload_headers, content)).toBe(200);
  await sendFile(ariel!, "first.bin", content);

  const completed = await caliban!.call("POST", "/user_uploads/presigned/complete", { upload_id: body.upload_id });

  expect(completed).toMatchObject(overQuota);
  expect((await attachmentsOf(caliban!)).map(({ path_id }) => path_id)).not.toContain(body.upload_id);
});

test("if avatar changes are disabled, only administrators can change theirs", async () => {
  await setting({ avatar_changes_disabled: true });
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
  await setting({ avatar_changes_disabled: false });
  expect((await send(ariel!)).status).toBe(200);
});
