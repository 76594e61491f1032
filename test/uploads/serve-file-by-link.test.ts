import { expect, test } from "vitest";
import { createTemporaryToken } from "../../shared/messaging/uploads/links.ts";
import { fetchFile, upload } from "../support/files.ts";
import { aPerson } from "../support/world.ts";

const pathOf = (url: string) => url.slice("/user_uploads/".length);
/** A temporary link to a file, as created `secondsAgo` seconds ago. */
const linkTo = async (url: string, secondsAgo: number) =>
  `/user_uploads/temporary/${await createTemporaryToken(pathOf(url), Date.now() - secondsAgo * 1000)}/song.txt`;

test("a temporary link expires after a minute", async () => {
  const ariel = await aPerson("Ariel");
  const url = await upload(ariel, "song.txt", "Full fathom five");

  const [valid, expired] = [await linkTo(url, 30), await linkTo(url, 61)];

  expect((await fetchFile(undefined, valid)).bytes.toString()).toBe("Full fathom five");
  for (const person of [undefined, ariel])
    expect(await fetchFile(person, expired)).toMatchObject({
      status: 400,
      body: { result: "error", code: "BAD_REQUEST", msg: "Invalid token" },
    });
});

test("a temporary link serves like the file itself, including ranges", async () => {
  const ariel = await aPerson("Ariel");
  const link = await linkTo(await upload(ariel, "song.txt", "0123456789"), 0);

  const [whole, part, outOfRange] = [
    await fetchFile(undefined, link),
    await fetchFile(undefined, link, { range: "bytes=2-4" }),
    await fetchFile(undefined, link, { range: "bytes=10-" }),
  ];

  expect([whole.status, part.status, outOfRange.status]).toEqual([200, 206, 416]);
  expect([part.bytes.toString(), part.headers["content-range"]]).toEqual(["234", "bytes 2-4/10"]);
  for (const { headers } of [whole, part, outOfRange])
    expect(headers).toMatchObject({
      "content-security-policy": expect.stringMatching(/default-src 'none';.*sandbox$/),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
});

test("a link to a nonexistent file returns 404", async () => {
  const link = await linkTo("/user_uploads/1/00/nothing/song.txt", 0);

  expect(await fetchFile(undefined, link)).toMatchObject({
    status: 404,
    body: { result: "error", code: "BAD_REQUEST", msg: "File not found." },
  });
});
