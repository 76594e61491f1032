import { expect, test } from "vitest";
import { handler as deleteMessage } from "../../functions/messages/delete-message.ts";
import { handler as editMessage } from "../../functions/messages/edit-message.ts";
import { handler as sendMessage } from "../../functions/messages/send-message.ts";
import { addUpload } from "../../shared/messaging/uploads/actions.ts";
import { removeContents, removeUnclaimed } from "../../shared/messaging/uploads/sweep.ts";
import { findFileSize, listFileKeys } from "../../shared/services/blobs/bucket.ts";
import { fileInMemory } from "../../shared/services/http/uploaded-files.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { channelPartition, type Message, readPartition } from "../../shared/store/messages/messages.ts";
import { listRemovals } from "../../shared/store/organization/file-removals.ts";
import { findUpload, listClaims, setUnclaimedSince } from "../../shared/store/organization/uploads.ts";
import { withFailure } from "../support/faults.ts";
import { attachmentsOf } from "../support/files.ts";
import { callInProcess } from "../support/hosts/in-process.ts";
import { sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Functions die at each of their calls while they add or remove links to files; then the remaining data is checked. */

const weekMs = 7 * 86_400_000;
const linkTo = (...paths: string[]) => paths.map((path) => `[file](/user_uploads/${path})`).join(" ");
const messagesIn = ({ id }: Channel): Promise<Message[]> =>
  readPartition("gsi1", channelPartition(id), { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: 1000 });

async function objectsOf(marker: string): Promise<string[]> {
  const keys = await Array.fromAsync(listFileKeys("uploads/"));
  return keys.filter((key) => key.includes(marker));
}

/** Removes files as the sweeps of the next weeks would; only those with `marker`, because other tests use other files. */
async function sweepMuchLater(owner: Person, marker: string): Promise<void> {
  for (const { path_id } of await attachmentsOf(owner))
    await setUnclaimedSince(path_id, Date.now() - 9 * weekMs).catch(() => {});
  await removeUnclaimed(Date.now() - 4 * weekMs);
  const removals = await listRemovals(Date.now() + 2 * 3_600_000, 10_000);
  await removeContents(removals.filter(({ file }) => file.includes(marker)));
}

/** Checks that every link of a message refers to an existing file, and every claim of a file to an existing message. */
async function expectConsistency(owner: Person, channel: Channel): Promise<void> {
  const messages = await messagesIn(channel);
  for (const { id, uploads = [] } of messages)
    for (const path of uploads) {
      expect((await listClaims(path, 100)).map(({ messageId }) => messageId)).toContain(id);
      expect(await findFileSize(`uploads/${path}`)).toBe(4);
    }
  for (const { path_id } of await attachmentsOf(owner)) {
    const linking = messages.filter(({ uploads = [] }) => uploads.includes(path_id)).map(({ id }) => id);
    expect((await listClaims(path_id, 100)).map(({ messageId }) => messageId).sort()).toEqual(linking.sort());
    expect((await findUpload(path_id))?.claims).toBe(linking.length);
    expect(await findFileSize(`uploads/${path_id}`)).toBe(4);
  }
}

test.each(["send", "edit", "delete"] as const)(
  "whichever call a function dies at while it should %s a message, files and messages agree, and no unused file is left",
  async (operation) => {
    const prospero = await aPerson("Prospero");
    const marker = `island-${operation}-${prospero.id}.txt`;
    const channel = await aChannel("island", [prospero]);
    const aFile = async () =>
      (await addUpload(prospero.id, fileInMemory({ name: marker, content: Buffer.from("text") }), undefined))!.pathId;
    let deaths = 0;
    for (const when of ["before", "afterwards"] as const)
      for (let nth = 1; nth < 60; nth++) {
        const [linkedPath, newPath] = [await aFile(), await aFile()];
        const to = { type: "channel", to: channel.id, topic: "t" };
        const id = operation === "send" ? 0 : await sendToChannel(prospero, channel, "t", linkTo(linkedPath));
        const path = { message_id: String(id) };
        const operations = {
          send: () => callInProcess(sendMessage, prospero, { form: { ...to, content: linkTo(linkedPath, newPath) } }),
          edit: () => callInProcess(editMessage, prospero, { path, form: { content: linkTo(newPath) } }),
          delete: () => callInProcess(deleteMessage, prospero, { path }),
        };
        const { reached, result } = await withFailure(nth, when, operations[operation]);
        if (result?.status !== 200) deaths++;
        if (!reached) break;
      }
    expect(deaths).toBeGreaterThan(5);

    await expectConsistency(prospero, channel);
    await sweepMuchLater(prospero, marker);
    await expectConsistency(prospero, channel);

    const linked = (await messagesIn(channel)).flatMap(({ uploads = [] }) => uploads.map((path) => `uploads/${path}`));
    expect((await objectsOf(marker)).sort()).toEqual([...new Set(linked)].sort());
  },
  120_000,
);
