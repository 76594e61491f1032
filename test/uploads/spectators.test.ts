import { beforeAll, expect, test } from "vitest";
import { accessUpload } from "../../shared/files/access.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { fetchFile, upload } from "../support/files.ts";
import { aChannel, aPerson } from "../support/world.ts";

/** What people read who have no account. The organization's switch stays as it is for all other files. */

const urls: Record<"open" | "closed" | "unsent", string> = { open: "", closed: "", unsent: "" };

beforeAll(async () => {
  const host = await aPerson("Host");
  for (const kind of ["open", "closed", "unsent"] as const) urls[kind] = await upload(host, `${kind}.txt`);
  const open = await aChannel("garter inn", [host], { isWebPublic: true });
  const closed = await aChannel("back room", [host]);
  for (const [to, url] of [
    [open.id, urls.open],
    [closed.id, urls.closed],
  ])
    await host.call("POST", "/messages", { type: "channel", to, topic: "t", content: `[here](${url})` });
});

const look = async (url: string, admitted = true) => {
  const realm = await accessRealm();
  const settings = { ...realm.settings, enable_spectator_access: admitted };
  return accessUpload(undefined, url.slice("/user_uploads/".length), { ...realm, settings });
};

test("a spectator reads the files of web-public channels", async () => {
  expect(await look(urls.open)).toMatchObject({ name: "open.txt" });
});

test("for all other files, and for unknown ones, a spectator must log in", async () => {
  for (const url of [urls.closed, urls.unsent, "/user_uploads/1/00/nothing/a.txt"])
    await expect(look(url)).rejects.toMatchObject({ status: 401, code: "UNAUTHORIZED" });
});

test("nobody is a spectator where the organization does not want it", async () => {
  await expect(look(urls.open, false)).rejects.toMatchObject({ status: 401 });

  const served = await fetchFile(undefined, urls.open);

  expect([served.status, served.body.code]).toEqual([401, "UNAUTHORIZED"]);
  expect(served.headers["www-authenticate"]).toBe('Basic realm="zulip"');
});
