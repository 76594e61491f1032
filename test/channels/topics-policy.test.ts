import { expect, test } from "vitest";
import { recheckTopicsPolicy } from "../../shared/features/channels/topics-policy.ts";
import { renderText } from "../../shared/messaging/messages/render/render.ts";
import { sendMessage } from "../../shared/messaging/messages/send/actions.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { aboutChannel, listen } from "../support/listener.ts";
import { aChannel, aPerson } from "../support/world.ts";

const policyOf = async (person: Awaited<ReturnType<typeof aPerson>>, id: number) =>
  (await person.call("GET", `/streams/${id}`)).body.stream.topics_policy;

test("a message sent while its channel is being restricted to the empty topic undoes the restriction", async () => {
  const admin = await aPerson("Prospero", { role: "administrator" });
  const [island, cell] = [await aChannel("island", [admin]), await aChannel("cell", [admin])];
  for (const { id } of [island, cell])
    expect((await admin.call("PATCH", `/streams/${id}`, { topics_policy: "empty_topic_only" })).status).toBe(200);
  const listener = await listen(admin, { event_types: ["stream"] }, aboutChannel(island));
  expect(
    await admin.call("POST", "/messages", { type: "channel", to: island.id, topic: "storm", content: "late" }),
  ).toMatchObject({ status: 400 });

  // Simulates a send that read the channel before its policy changed.
  const content = "We split, we split!";
  await sendMessage({
    senderId: admin.id,
    destination: { kind: "channel", channel: island, topic: "storm" },
    content,
    rendered: await renderText(content, await loadRealm()),
    client: "SkeinTest",
    readBySender: false,
  });
  for (const { id } of [island, cell]) await recheckTopicsPolicy(id);

  expect(await listener.next("stream")).toMatchObject({ op: "update", property: "topics_policy", value: "inherit" });
  expect([await policyOf(admin, island.id), await policyOf(admin, cell.id)]).toEqual(["inherit", "empty_topic_only"]);
  await recheckTopicsPolicy(island.id);
  expect(await policyOf(admin, island.id)).toBe("inherit");
});
