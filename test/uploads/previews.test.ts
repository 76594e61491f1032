import { expect, test } from "vitest";
import { addPreviews } from "../../shared/messaging/uploads/add-previews.ts";
import { previewFiles } from "../../shared/messaging/uploads/previews.ts";
import { removeContents } from "../../shared/messaging/uploads/sweep.ts";
import { findFileSize } from "../../shared/services/blobs/bucket.ts";
import { detectContent } from "../../shared/services/blobs/content-types.ts";
import { listRemovals } from "../../shared/store/organization/file-removals.ts";
import { findUpload } from "../../shared/store/organization/uploads.ts";
import { withCpuTime } from "../support/cpu-time.ts";
import { withFailure } from "../support/faults.ts";
import { aGif, aPng } from "../support/files/pictures.ts";
import { attachmentsOf, fetchFile, upload } from "../support/files.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson } from "../support/world.ts";

const pathOf = (url: string) => url.slice("/user_uploads/".length);
const previewOf = (url: string, moving = false) =>
  `${url.replace("/user_uploads/", "/user_uploads/thumbnail/")}/840x560${moving ? "-anim" : ""}.webp`;
const waitForPreviews = (url: string) =>
  eventually(async () => {
    const found = await findUpload(pathOf(url));
    return found?.preview !== undefined && found;
  });

test.each([
  [2000, 1000, 840, 420],
  [600, 1200, 280, 560],
  [30, 20, 30, 20],
])("a picture of %d by %d pixels is served as WebP of %d by %d to everyone who may read it", async (...sizes) => {
  const [givenWidth, givenHeight, width, height] = sizes;
  const [hermione, paulina, autolycus] = [
    await aPerson("Hermione"),
    await aPerson("Paulina"),
    await aPerson("Autolycus"),
  ];
  const channel = await aChannel("sicilia", [hermione, paulina], { inviteOnly: true });
  const picture = aPng(givenWidth, givenHeight);
  const url = await upload(hermione, "statue.png", picture);
  const content = `[statue.png](${url})`;
  await hermione.do("POST", "/messages", { type: "channel", to: channel.id, topic: "t", content });
  await waitForPreviews(url);

  const served = await fetchFile(paulina, previewOf(url));

  expect(served.status).toBe(200);
  expect(served.headers).toMatchObject({
    "content-type": "image/webp",
    "cache-control": "private, no-cache",
    "content-security-policy": expect.stringContaining("sandbox"),
    "x-content-type-options": "nosniff",
  });
  expect(detectContent(served.bytes, "")).toEqual({ contentType: "image/webp", width, height });
  const asked = { "if-none-match": String(served.headers.etag) };
  expect((await fetchFile(paulina, previewOf(url), asked)).status).toBe(304);
  expect((await fetchFile(autolycus, previewOf(url), asked)).status).toBe(404);
  expect((await fetchFile(paulina, previewOf(url, true))).bytes.equals(served.bytes)).toBe(true);
  expect((await fetchFile(paulina, url)).bytes.equals(picture)).toBe(true);
  expect((await fetchFile(autolycus, previewOf(url))).status).toBe(404);
});

test("an animated picture has an animated and a still preview", async () => {
  const hermione = await aPerson("Hermione");
  const url = await upload(hermione, "statue.gif", aGif(3));
  await waitForPreviews(url);

  const [still, moving] = [await fetchFile(hermione, previewOf(url)), await fetchFile(hermione, previewOf(url, true))];

  expect([still.headers["content-type"], moving.headers["content-type"]]).toEqual(["image/webp", "image/webp"]);
  expect([still.bytes.includes("ANIM"), moving.bytes.includes("ANIM")]).toEqual([false, true]);
});

test.each<[string, Buffer]>([
  ["claims to have 900 million pixels", aPng(30_000, 30_000, 1)],
  ["is not a picture", Buffer.concat([Buffer.from("GIF89a\x40\0\x40\0", "latin1"), Buffer.from("<script>")])],
])("a file that %s is served unchanged, and takes less than five seconds of processor time", async (_, content) => {
  const hermione = await aPerson("Hermione");
  const url = await upload(hermione, "bomb.png", content);

  const { cpuMs } = await withCpuTime(() => addPreviews(pathOf(url)));
  const served = await fetchFile(hermione, previewOf(url));

  expect([served.status, served.bytes.equals(content)]).toEqual([200, true]);
  expect(served.headers["cache-control"]).toBe("private, no-cache");
  expect(cpuMs).toBeLessThan(5000);
});

test("a truncated picture is previewed as far as it can be decoded", async () => {
  const hermione = await aPerson("Hermione");
  const url = await upload(hermione, "half.png", aPng(300, 200).subarray(0, 100));
  await waitForPreviews(url);

  const served = await fetchFile(hermione, previewOf(url));

  expect([served.status, String(served.headers["content-type"]).split("/")[0]]).toEqual([200, "image"]);
});

test("previews are deleted with their picture", async () => {
  const hermione = await aPerson("Hermione");
  const url = await upload(hermione, "statue.gif", aGif(2));
  const files = previewFiles(await waitForPreviews(url));
  const [{ id }] = await attachmentsOf(hermione);

  await hermione.do("DELETE", `/attachments/${id}`);
  const removals = await listRemovals(Date.now() + 3_600_000, 10_000);
  await removeContents(removals.filter(({ pathId }) => pathId === pathOf(url)));

  expect(files).toHaveLength(2);
  for (const file of files) expect(await findFileSize(file)).toBeUndefined();
  expect((await fetchFile(hermione, previewOf(url))).status).toBe(404);
});

test("if a preview worker dies at any call and is retried, every recorded preview exists, and none is due for removal", async () => {
  const hermione = await aPerson("Hermione");
  for (const when of ["before", "afterwards"] as const)
    for (let nth = 1; nth < 9; nth++) {
      const url = await upload(hermione, "statue.gif", aGif(2));
      await withFailure(nth, when, () => addPreviews(pathOf(url)));
      await addPreviews(pathOf(url));
      const { preview, movingPreview } = await waitForPreviews(url);
      for (const name of [preview, movingPreview]) expect(await findFileSize(`previews/${name}`)).toBeGreaterThan(0);
    }
  const due = await listRemovals(Date.now() + 2 * 3_600_000, 10_000);
  const listed = await attachmentsOf(hermione);
  const usedFiles = await Promise.all(listed.map(async ({ path_id }) => previewFiles((await findUpload(path_id))!)));
  for (const file of usedFiles.flat()) expect(due.some((removal) => removal.file === file)).toBe(false);
});
