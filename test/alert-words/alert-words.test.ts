import { expect, test } from "vitest";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aPerson, type Person } from "../support/world.ts";

const path = "/users/me/alert_words";
const alertWordsOf = async (person: Person) => (await person.call("GET", path)).body.alert_words;

test("words are added without duplicates, ignoring case and blanks, and removed", async () => {
  const malvolio = await aPerson("Malvolio");

  const added = await malvolio.call("POST", path, { alert_words: [" cakes ", "Ale", "ale", ""] });
  expect(added.body).toEqual({ result: "success", msg: "", alert_words: ["cakes", "Ale"] });
  const removed = await malvolio.call("DELETE", path, { alert_words: ["ALE", "virtue"] });
  expect(removed.body.alert_words).toEqual(["cakes"]);
  expect(await alertWordsOf(malvolio)).toEqual(["cakes"]);
});

test("each change of the words sends an event with the whole list", async () => {
  const malvolio = await aPerson("Malvolio");
  const end = await logEnd();

  await malvolio.do("POST", path, { alert_words: ["cakes"] });
  await malvolio.do("POST", path, { alert_words: ["cakes"] });
  await malvolio.do("DELETE", path, { alert_words: ["cakes"] });

  const events = (await eventsAfter(end, "alert_words", () => true)).filter(
    ({ audience }) => audience.kind === "users" && audience.userIds[0] === malvolio.id,
  );
  expect(events.map(({ event }) => event)).toEqual([
    { type: "alert_words", alert_words: ["cakes"] },
    { type: "alert_words", alert_words: [] },
  ]);
});

test("a word of more than a hundred characters is refused", async () => {
  const malvolio = await aPerson("Malvolio");

  expect(await malvolio.call("POST", path, { alert_words: ["x".repeat(101)] })).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "alert_words[0] is too long (limit: 100 characters)" },
  });
  expect(await alertWordsOf(malvolio)).toEqual([]);
});

test("concurrent additions lose nothing", async () => {
  const malvolio = await aPerson("Malvolio");
  const newWords = Array.from({ length: 12 }, (_, n) => `word${n}`);

  await Promise.all(newWords.map((word) => malvolio.do("POST", path, { alert_words: [word] })));

  expect(new Set(await alertWordsOf(malvolio))).toEqual(new Set(newWords));
});
