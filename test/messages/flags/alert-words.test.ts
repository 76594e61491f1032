import { expect, test } from "vitest";
import { aChannel, aPerson } from "../../support/world.ts";

test("messages with alert words are flagged and found only for the owner of the words", async () => {
  const [pistol, nym] = [await aPerson("Pistol"), await aPerson("Nym")];
  const tavern = await aChannel("tavern", [pistol, nym]);
  const send = async (content: string) => {
    const to = { type: "channel", to: tavern.id, topic: "t" };
    return (await nym.call("POST", "/messages", { ...to, content })).body.id as number;
  };
  const [word, phrase, part, accented, unspaced] = [
    await send("Base is the SLAVE, that pays"),
    await send("the world's mine oyster"),
    await send("enslaved oysters"),
    await send("At the CAFÉ"),
    await send("私は日本が好き"),
  ];
  await pistol.do("POST", "/users/me/alert_words", { alert_words: ["slave", "mine oyster", "cafe", "日本"] });
  const flaggedIds = async (person: typeof pistol, narrow: unknown[]) => {
    const { body } = await person.call("GET", "/messages", { narrow, anchor: "newest", num_before: 10, num_after: 0 });
    return body.messages.map(({ id, flags }: { id: number; flags: string[] }) => [
      id,
      flags.includes("has_alert_word"),
    ]);
  };

  expect(await flaggedIds(pistol, [["channel", tavern.name]])).toEqual([
    [word, true],
    [phrase, true],
    [part, false],
    [accented, true],
    [unspaced, true],
  ]);
  expect(await flaggedIds(pistol, [["is", "alerted"]])).toEqual([
    [word, true],
    [phrase, true],
    [accented, true],
    [unspaced, true],
  ]);
  expect(await flaggedIds(nym, [["is", "alerted"]])).toEqual([]);
});
