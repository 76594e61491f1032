import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { multipart, png } from "../support/files.ts";
import { aPrivateHost, type PrivateHost } from "../support/private-host.ts";
import { target } from "../support/target.ts";

const isLocal = target().kind === "local";
const [owner, viola] = ["owner@globe.test", "viola@globe.test"];

describe.skipIf(!isLocal)("settings about files (in a host of their own, since they concern everybody)", () => {
  let host: PrivateHost;
  beforeAll(async () => {
    host = await aPrivateHost();
    await host.as(owner, "PATCH", "/realm", { upload_quota_mib: 1, avatar_changes_disabled: true });
  });
  afterAll(() => host?.stop());

  const post = async (email: string, path: string, content: Buffer) => {
    const { api_key } = await host.as(undefined, "POST", "/dev_fetch_api_key", { username: email });
    const { body, headers } = multipart([{ filename: "file.png", content }]);
    const authorization = `Basic ${Buffer.from(`${email}:${api_key}`).toString("base64")}`;
    const init = { method: "POST", headers: { ...headers, authorization }, body: new Uint8Array(body as Buffer) };
    const response = await fetch(`${host.url}/api/v1${path}`, init);
    return { status: response.status, ...((await response.json()) as Record<string, any>) };
  };
  const most = Buffer.alloc(600_000);
  const overQuota = { status: 400, code: "BAD_REQUEST", msg: "Upload would exceed your organization's upload quota." };

  test("no more is stored than the organization has room for, by whomever and however", async () => {
    const together = await Promise.all([post(owner, "/user_uploads", most), post(viola, "/user_uploads", most)]);
    const third = await post(viola, "/user_uploads", most);
    const offered = await host.as(viola, "POST", "/user_uploads/presigned", { filename: "a", size: most.length });
    const small = await host.as(viola, "POST", "/user_uploads/presigned", { filename: "a", size: 1000 });

    expect(together.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(together.find(({ status }) => status === 400)).toMatchObject(overQuota);
    expect([third, offered]).toEqual([expect.objectContaining(overQuota), expect.objectContaining(overQuota)]);
    expect(small.status).toBe(200);
    expect((await host.as(owner, "GET", "/attachments")).upload_space_used).toBe(most.length);
  });

  test("a deleted file makes room again", async () => {
    const listed = await Promise.all([owner, viola].map((email) => host.as(email, "GET", "/attachments")));
    const holder = listed[0].attachments.length > 0 ? owner : viola;
    const [{ id }] = listed.flatMap(({ attachments }) => attachments);

    await host.as(holder, "DELETE", `/attachments/${id}`);

    expect((await post(viola, "/user_uploads", most)).status).toBe(200);
  });

  test("a file that was stored by a link when the room was gone is not listed", async () => {
    const offered = await host.as(viola, "POST", "/user_uploads/presigned", { filename: "a", size: 400_000 });
    const body = new Uint8Array(400_000);
    await fetch(offered.upload_url, { method: "PUT", headers: { "if-none-match": "*" }, body });
    await post(viola, "/user_uploads", Buffer.alloc(200_000));

    const { upload_id } = offered;
    const completed = await host.as(viola, "POST", "/user_uploads/presigned/complete", { upload_id });

    expect(completed).toMatchObject(overQuota);
  });

  test("where pictures may not be changed, only administrators change theirs", async () => {
    const refused = await post(viola, "/users/me/avatar", png);
    const removed = await host.as(viola, "DELETE", "/users/me/avatar");
    const allowed = await post(owner, "/users/me/avatar", png);

    const msg = "Avatar changes are disabled in this organization.";
    expect([refused, removed]).toEqual([
      { status: 400, result: "error", code: "BAD_REQUEST", msg },
      { status: 400, result: "error", code: "BAD_REQUEST", msg },
    ]);
    expect(allowed.status).toBe(200);
  });
});
