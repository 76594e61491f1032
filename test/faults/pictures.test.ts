import { afterAll, beforeAll, expect, test } from "vitest";
import { handler as addEmoji } from "../../functions/emoji/add-emoji.ts";
import { handler as removeEmoji } from "../../functions/emoji/remove-emoji.ts";
import { handler as removeRealmIcon } from "../../functions/organization/remove-realm-icon.ts";
import { handler as removeRealmLogo } from "../../functions/organization/remove-realm-logo.ts";
import { handler as setRealmIcon } from "../../functions/organization/set-realm-icon.ts";
import { handler as setRealmLogo } from "../../functions/organization/set-realm-logo.ts";
import { handler as completeUpload } from "../../functions/uploads/complete-upload.ts";
import { handler as offerUpload } from "../../functions/uploads/offer-upload.ts";
import { handler as removeOwnAvatar } from "../../functions/users/remove-own-avatar.ts";
import { handler as setOwnAvatar } from "../../functions/users/set-own-avatar.ts";
import { emojiFile } from "../../shared/core/emoji/urls.ts";
import { removeContents } from "../../shared/messaging/uploads/sweep.ts";
import { findFileSize, listFileKeys, putFile } from "../../shared/services/blobs/bucket.ts";
import { sweepOutbox } from "../../shared/services/jobs/outbox.ts";
import { accessOrganization } from "../../shared/services/organization/access.ts";
import { addSizes } from "../../shared/services/pictures/sizes.ts";
import { pictureFileKey, pictureSizeKey, pictureSizeKeys } from "../../shared/services/pictures/urls.ts";
import { listEmoji } from "../../shared/store/organization/emoji.ts";
import { createRemoval, listRemovals } from "../../shared/store/organization/file-removals.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { findUsers } from "../../shared/store/users/users.ts";
import { withFailure } from "../support/faults.ts";
import { aGif } from "../support/files/pictures.ts";
import { attachmentsOf, png } from "../support/files.ts";
import { callInProcess } from "../support/hosts/in-process.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

/**
 * Functions die at each of their calls while pictures and files are created and deleted; then the whole bucket is checked.
 */

let host: PrivateHost;
let iris: Person;
beforeAll(async () => {
  host = await aPrivateHost();
  Object.assign(process.env, host.environment);
  iris = await aPerson("Iris", { role: "administrator" });
}, 60_000);
afterAll(() => host?.stop());

const objectsIn = (folder: string): Promise<string[]> => Array.fromAsync(listFileKeys(`${folder}/`));

/** Does what sweeps do during the next days. */
const sweepMuchLater = async () => removeContents(await listRemovals(Date.now() + 9 * 86_400_000, 10_000));

/** Does what the sweep does with a picture that was unused for a day. */
async function removeNow(name: string): Promise<void> {
  const removal = { file: pictureFileKey(name), others: pictureSizeKeys(name), dueAt: 1 };
  await transact([createRemoval(removal)]);
  await removeContents([removal]);
}

/** Runs `prepare` and then `operation`, each time with another of its calls failing; returns how often it died. */
async function dieEverywhere(operation: () => Promise<{ status: number }>, prepare = async () => {}): Promise<number> {
  let deaths = 0;
  for (const when of ["before", "afterwards"] as const)
    for (let nth = 1; nth < 60; nth++) {
      await prepare();
      const { reached, result } = await withFailure(nth, when, operation);
      if (result?.status !== 200) deaths++;
      if (!reached) break;
    }
  return deaths;
}

const parts = [{ filename: "a.gif", content: aGif(2) }];
const nightField = { name: "night", content: "true" };
const logo = { parts: [nightField, ...parts] };

test.each<[string, () => Promise<{ status: number }>, () => Promise<{ status: number }>]>([
  ["avatar", () => callInProcess(setOwnAvatar, iris, { parts }), () => callInProcess(removeOwnAvatar, iris)],
  ["icon", () => callInProcess(setRealmIcon, iris, { parts }), () => callInProcess(removeRealmIcon, iris)],
  [
    "logo",
    () => callInProcess(setRealmLogo, iris, logo),
    () => callInProcess(removeRealmLogo, iris, { form: { night: true } }),
  ],
])(
  "wherever a function that changes the %s dies, the current picture exists, and no other one stays",
  async (_, set, remove) => {
    const setPicture = async () => {
      await set();
    };
    const currentPictures = async () => {
      const [[user], { iconFile, nightLogoFile }] = await Promise.all([findUsers([iris.id]), accessOrganization()]);
      return [user?.avatarFile, iconFile, nightLogoFile].filter((name) => name !== undefined);
    };

    expect(await dieEverywhere(set, setPicture)).toBeGreaterThan(7);
    for (const name of await currentPictures()) expect(await findFileSize(pictureFileKey(name))).toBeGreaterThan(0);
    await set();
    expect((await currentPictures()).length).toBe(1);
    // Jobs create the sizes; the outbox's sweeper sends jobs that were not sent.
    await eventually(async () => {
      await sweepOutbox();
      const small = await Promise.all(
        (await currentPictures()).map((name) => findFileSize(pictureSizeKey(name, "small"))),
      );
      return !small.includes(undefined);
    });
    expect(await dieEverywhere(remove, setPicture)).toBeGreaterThan(5);
    await remove();
    expect(await currentPictures()).toEqual([]);

    await eventually(async () => {
      await sweepMuchLater();
      return (await objectsIn("avatars")).length === 0;
    });
  },
  240_000,
);

test("wherever the thumbnail worker dies, thumbnails are created in the end or deleted with the picture", async () => {
  const [keptPicture, deletedPicture] = ["a".repeat(40), "b".repeat(40)];
  await Promise.all([keptPicture, deletedPicture].map((name) => putFile(pictureFileKey(name), png, "image/png")));
  for (const when of ["before", "afterwards"] as const)
    for (let nth = 1; nth < 9; nth++)
      for (const name of [keptPicture, deletedPicture]) await withFailure(nth, when, () => addSizes(name, "avatar"));

  await removeNow(deletedPicture);
  for (let nth = 1; nth < 4; nth++) {
    await putFile(pictureSizeKey(deletedPicture, "small"), png, "image/png");
    await withFailure(nth, "before", () => addSizes(deletedPicture, "avatar"));
    await addSizes(deletedPicture, "avatar");
  }
  await addSizes(keptPicture, "avatar");

  expect((await objectsIn("avatars")).sort()).toEqual(
    [pictureFileKey(keptPicture), ...pictureSizeKeys(keptPicture)].sort(),
  );
  await removeNow(keptPicture);
});

test("wherever an emoji upload dies, listed emoji have their files, and no other file stays", async () => {
  let count = 0;
  const path = () => ({ emoji_name: `rainbow_${count}` });
  const add = () => callInProcess(addEmoji, iris, { path: path(), parts });
  const chooseNextName = async () => {
    count++;
  };

  expect(await dieEverywhere(add, chooseNextName)).toBeGreaterThan(7);
  expect(
    await dieEverywhere(
      () => callInProcess(removeEmoji, iris, { path: path() }),
      async () => {
        await chooseNextName();
        await add();
      },
    ),
  ).toBeGreaterThan(4);

  await sweepMuchLater();
  const listed = (await listEmoji()).flatMap(({ path, stillPath }) => (stillPath ? [path, stillPath] : [path]));
  expect((await objectsIn("emoji")).sort()).toEqual(listed.map(emojiFile).sort());
}, 120_000);

test("wherever a presigned upload dies, listed files exist, and no other file stays", async () => {
  const form = { filename: "rain.txt", size: 4 };
  const offer = () => callInProcess(offerUpload, iris, { form });
  let upload_id = "";
  const prepare = async () => {
    upload_id = (await offer()).body.upload_id;
    await putFile(`uploads/${upload_id}`, Buffer.from("rain"), "text/plain");
  };

  expect(await dieEverywhere(offer)).toBeGreaterThan(3);
  expect(
    await dieEverywhere(() => callInProcess(completeUpload, iris, { form: { upload_id } }), prepare),
  ).toBeGreaterThan(7);

  await sweepMuchLater();
  const listed = await attachmentsOf({
    ...iris,
    call: (...args) => iris.call(args[0], args[1], {}, { url: host.url }),
  });
  expect((await objectsIn("uploads")).sort()).toEqual(listed.map(({ path_id }) => `uploads/${path_id}`).sort());
  expect(listed.length).toBeGreaterThan(0);
}, 120_000);
