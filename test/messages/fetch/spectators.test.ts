import { beforeAll, expect, test } from "vitest";
import { prepareNarrow } from "../../../shared/messaging/messages/fetch/matching.ts";
import { parseNarrow } from "../../../shared/messaging/messages/fetch/narrow.ts";
import { selectMessages } from "../../../shared/messaging/messages/fetch/selection.ts";
import { Reader } from "../../../shared/messaging/messages/reader.ts";
import { loadRealm } from "../../../shared/services/organization/access.ts";
import { aChannel, aPerson, call } from "../../support/world.ts";

/** What spectators see. The tests override the setting in memory, because other files share the organization. */

let webPublicName: string;
let otherName: string;
const ids: number[] = [];

beforeAll(async () => {
  const host = await aPerson("Host");
  const [webPublicChannel, otherChannel] = [
    await aChannel("garter inn", [host], { isWebPublic: true }),
    await aChannel("back room", [host]),
  ];
  [webPublicName, otherName] = [webPublicChannel.name, otherChannel.name];
  for (const to of [webPublicChannel.id, otherChannel.id]) {
    const message = { type: "channel", to, topic: "t", content: "Cavaleiro Justice!" };
    ids.push((await host.call("POST", "/messages", message)).body.id);
  }
});

const fetchAsSpectator = async (narrow: string[][], { isAdmitted = true } = {}) => {
  const realm = await loadRealm();
  const settings = { ...realm.settings, enable_spectator_access: isAdmitted };
  const spectator = new Reader(undefined, { ...realm, settings });
  const selection = { kind: "list" as const, ids };
  const presentation = { applyMarkdown: true, clientGravatar: true, allowEmptyTopicName: true };
  return selectMessages(spectator, await prepareNarrow(spectator, parseNarrow(narrow)), selection, presentation);
};
const webPublic = ["channels", "web-public"];

test("a spectator reads web-public channels, where all messages count as read", async () => {
  const { messages } = await fetchAsSpectator([webPublic]);

  expect(messages.map(({ id, flags }) => [id, flags])).toEqual([[ids[0], ["read"]]]);
  expect((await fetchAsSpectator([webPublic, ["channel", webPublicName]])).messages).toHaveLength(1);
});

test("fetching web-public messages reads only the channels concerned", async () => {
  const realm = await loadRealm();
  const spectator = new Reader(undefined, { ...realm, settings: { ...realm.settings, enable_spectator_access: true } });
  const range = { kind: "range" as const, anchor: ids[0], includeAnchor: true, numBefore: 0, numAfter: 0 };

  const selected = await selectMessages(spectator, await prepareNarrow(spectator, parseNarrow([webPublic])), range, {
    applyMarkdown: false,
    clientGravatar: true,
    allowEmptyTopicName: true,
  });

  expect(selected.messages.map(({ id }) => id)).toEqual([ids[0]]);
});

test.each([
  ["everything", []],
  ["public channels", [["channels", "public"]]],
  ["their own flags", [webPublic, ["is", "starred"]]],
  ["direct messages", [["dm-including", "someone@globe.test"]]],
])("a spectator who requests %s must log in", async (_, narrow) => {
  await expect(fetchAsSpectator(narrow)).rejects.toMatchObject({ status: 401, code: "UNAUTHORIZED" });
});

test("other channels are unknown to a spectator", async () => {
  await expect(fetchAsSpectator([webPublic, ["channel", otherName]])).rejects.toMatchObject({ code: "BAD_NARROW" });
});

test("spectators are refused if the organization does not allow them", async () => {
  await expect(fetchAsSpectator([webPublic], { isAdmitted: false })).rejects.toMatchObject({ code: "UNAUTHORIZED" });

  const { status, body, headers } = await call("GET", "/messages", { message_ids: ids, narrow: [webPublic] });

  expect([status, body.code]).toEqual([401, "UNAUTHORIZED"]);
  expect(headers["www-authenticate"]).toBe('Basic realm="zulip"');
  expect((await call("GET", `/messages/${ids[0]}`)).status).toBe(401);
});
