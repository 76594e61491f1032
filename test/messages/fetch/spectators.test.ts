import { beforeAll, expect, test } from "vitest";
import { prepareNarrow } from "../../../shared/messages/fetch/matching.ts";
import { parseNarrow } from "../../../shared/messages/fetch/narrow.ts";
import { selectMessages } from "../../../shared/messages/fetch/selection.ts";
import { Reader } from "../../../shared/messages/reader.ts";
import { accessRealm } from "../../../shared/organization/access.ts";
import { aChannel, aPerson, call } from "../../support/world.ts";

/** What spectators see. The organization's setting is restored for all other files. */

let openName: string;
let closedName: string;
const ids: number[] = [];

beforeAll(async () => {
  const host = await aPerson("Host");
  const [open, closed] = [
    await aChannel("garter inn", [host], { isWebPublic: true }),
    await aChannel("back room", [host]),
  ];
  [openName, closedName] = [open.name, closed.name];
  for (const to of [open.id, closed.id]) {
    const sent = { type: "channel", to, topic: "t", content: "Cavaleiro Justice!" };
    ids.push((await host.call("POST", "/messages", sent)).body.id);
  }
});

const look = async (narrow: string[][], admitted = true) => {
  const realm = await accessRealm();
  const settings = { ...realm.settings, enable_spectator_access: admitted };
  const spectator = new Reader(undefined, { ...realm, settings });
  const selection = { kind: "list" as const, ids };
  const presentation = { applyMarkdown: true, clientGravatar: true, allowEmptyTopicName: true };
  return selectMessages(spectator, await prepareNarrow(spectator, parseNarrow(narrow)), selection, presentation);
};
const webPublic = ["channels", "web-public"];

test("a spectator reads web-public channels, where all messages count as read", async () => {
  const { messages } = await look([webPublic]);

  expect(messages.map(({ id, flags }) => [id, flags])).toEqual([[ids[0], ["read"]]]);
  expect((await look([webPublic, ["channel", openName]])).messages).toHaveLength(1);
});

test("fetching web-public messages reads only the channels concerned", async () => {
  const realm = await accessRealm();
  const spectator = new Reader(undefined, { ...realm, settings: { ...realm.settings, enable_spectator_access: true } });
  const range = { kind: "range" as const, anchor: ids[0], includeAnchor: true, numBefore: 0, numAfter: 0 };

  const found = await selectMessages(spectator, await prepareNarrow(spectator, parseNarrow([webPublic])), range, {
    applyMarkdown: false,
    clientGravatar: true,
    allowEmptyTopicName: true,
  });

  expect(found.messages.map(({ id }) => id)).toEqual([ids[0]]);
});

test.each([
  ["everything", []],
  ["public channels", [["channels", "public"]]],
  ["their own flags", [webPublic, ["is", "starred"]]],
  ["direct messages", [["dm-including", "someone@globe.test"]]],
])("a spectator who requests %s must log in", async (_, narrow) => {
  await expect(look(narrow)).rejects.toMatchObject({ status: 401, code: "UNAUTHORIZED" });
});

test("other channels are unknown to a spectator", async () => {
  await expect(look([webPublic, ["channel", closedName]])).rejects.toMatchObject({ code: "BAD_NARROW" });
});

test("spectators are refused if the organization does not allow them", async () => {
  await expect(look([webPublic], false)).rejects.toMatchObject({ code: "UNAUTHORIZED" });

  const { status, body, headers } = await call("GET", "/messages", { message_ids: ids, narrow: [webPublic] });

  expect([status, body.code]).toEqual([401, "UNAUTHORIZED"]);
  expect(headers["www-authenticate"]).toBe('Basic realm="zulip"');
  expect((await call("GET", `/messages/${ids[0]}`)).status).toBe(401);
});
