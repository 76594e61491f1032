import { expect, test } from "vitest";
import names from "../../shared/core/emoji/names.generated.json" with { type: "json" };
import { fetchMessage, sendDirect } from "../support/messages.ts";
import { aPerson, type Person } from "../support/world.ts";

const emojiNames = Object.values(names)
  .flatMap((all) => all.split(" ").slice(0, 1))
  .slice(0, 200);

test("one person can react with 40 emoji to a message, all with 100, and everyone with those that it has", async () => {
  const people = await Promise.all(["Orsino", "Viola", "Feste", "Maria"].map((name) => aPerson(name)));
  const [orsino, viola, feste, maria] = people as [Person, Person, Person, Person];
  const id = await sendDirect(orsino, people);
  const react = async (person: Person, names: readonly string[]) => {
    const used = new Set<string>();
    let refusal = "";
    for (const emoji_name of names) {
      const { status, body } = await person.call("POST", `/messages/${id}/reactions`, { emoji_name });
      if (status === 200) used.add(emoji_name);
      else refusal = body.msg;
      if (status !== 200 && body.code === "BAD_REQUEST") break;
    }
    return { count: used.size, refusal };
  };

  expect(await react(orsino, emojiNames)).toEqual({
    count: 40,
    refusal: "You can react to a message with at most 40 emoji.",
  });
  const { reactions } = await fetchMessage(viola, id);
  const unused = emojiNames.filter((name) => !reactions.some(({ emoji_name }: any) => emoji_name === name));
  expect((await react(viola, unused)).count).toBe(40);
  expect(await react(feste, unused.toReversed())).toEqual({
    count: 20,
    refusal: "A message can have reactions with at most 100 different emoji.",
  });
  expect(
    await react(
      maria,
      reactions.slice(0, 3).map(({ emoji_name }: any) => emoji_name),
    ),
  ).toEqual({
    count: 3,
    refusal: "",
  });
});
