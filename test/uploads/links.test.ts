import { beforeAll, expect, test } from "vitest";
import { attachmentsOf, png, upload } from "../support/files.ts";
import { sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

let cymbeline: Person;
beforeAll(async () => {
  cymbeline = await aPerson("Cymbeline");
});

const linkTo = (url: string, text = "file") => `[${text}](${url})`;
const recordOf = async (owner: Person, url: string) =>
  (await attachmentsOf(owner)).find(({ path_id }) => url === `/user_uploads/${path_id}`);

test("a message may link to deleted, unknown and malformed file paths", async () => {
  const court = await aChannel("court", [cymbeline]);
  const deletedUrl = await upload(cymbeline);
  await cymbeline.do("DELETE", `/attachments/${(await recordOf(cymbeline, deletedUrl)).id}`);

  const id = await sendToChannel(
    cymbeline,
    court,
    "a",
    `${linkTo(deletedUrl)} ${linkTo("/user_uploads/1/00/none/x.txt")} ${linkTo("/user_uploads/%")}`,
  );

  expect(id).toBeGreaterThan(0);
});

test("a message can link to twenty files, and is refused with more", async () => {
  const court = await aChannel("court", [cymbeline]);
  const urls = await Promise.all(Array.from({ length: 21 }, () => upload(cymbeline)));
  const send = (count: number) =>
    cymbeline.call("POST", "/messages", {
      type: "channel",
      to: court.id,
      topic: "t",
      content: urls
        .slice(0, count)
        .map((url) => linkTo(url))
        .join(" "),
    });

  const [tooMany, maximum] = [await send(21), await send(20)];

  expect(tooMany).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: expect.stringContaining("at most 20") },
  });
  expect(maximum.status).toBe(200);
  expect((await cymbeline.call("DELETE", `/messages/${maximum.body.id}`)).status).toBe(200);
  expect(await recordOf(cymbeline, urls[0] as string)).toBeUndefined();
});

test("a picture is previewed below its link with its size", async () => {
  const url = await upload(cymbeline, "ring.png", png);
  const court = await aChannel("court", [cymbeline]);
  const id = await sendToChannel(cymbeline, court, "a", linkTo(url, "ring.png"));

  const { body } = await cymbeline.call("GET", "/messages", { anchor: id, num_before: 0, num_after: 0 });

  const preview = url.replace("/user_uploads/", "/user_uploads/thumbnail/");
  expect(body.messages[0].content).toContain(`src="${preview}/840x560.webp"`);
  expect(body.messages[0].content).toContain('data-original-dimensions="1x1"');
});
