import { expect } from "vitest";
import { administrationSections } from "../../../web/navigation/address.ts";
import { violationsInEach } from "../../support/browser/appearances.ts";
import { browserTest } from "../../support/browser/browser-test.ts";
import { consoleErrors, urlOf } from "../../support/browser/client-pages.ts";
import { actsOf, twoPeople } from "../../support/browser/two-people.ts";

/** Views and dialogs in light and dark and with high contrast, but for the main ones: Imogen looks, Pisanio writes. */

const people = twoPeople({ reader: "Imogen", writer: "Pisanio", channel: "milford", readerRole: "owner" });
const { send, openTopic, row, topicUrl } = actsOf(people);

const expectNoneInAnyAppearance = async (what: string) =>
  expect([what, await violationsInEach(people.page)]).toEqual([what, []]);

/** Views that are not looked at in `screens.test.ts`. */
const views = () => [
  ...["drafts", "scheduled", "channels", "groups"],
  ...["profile", "appearance", "account", "bots"].map((section) => `settings/${section}`),
  ...administrationSections
    .filter((section) => section !== "permissions" && section !== "people")
    .map((section) => `organization/${section}`),
  ...[`narrow/channel/${people.channel.id}-x`, "narrow/is/mentioned", "narrow/is/starred", "narrow/search/fidele"],
  "no-such-view",
];

browserTest("axe finds nothing in any other view", { timeout: 300_000 }, async () => {
  const { page, reader } = people;
  await send("cave", `**Bold** \`code\` [link](https://globe.test) @**Imogen|${reader.id}** :smile:`);
  await send("✔ road", "fidele");
  await send("muted", "Fear no more the heat");
  await reader.do("POST", "/user_topics", { stream_id: people.channel.id, topic: "muted", visibility_policy: 1 });
  await reader.do("POST", "/user_topics", { stream_id: people.channel.id, topic: "✔ road", visibility_policy: 3 });
  for (const view of views()) {
    await page.goto(urlOf(`#${view}`));
    await page.locator("main h1").first().waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
    await expectNoneInAnyAppearance(view);
  }
  expect(consoleErrors).toEqual([]);
});

browserTest("axe finds nothing in any dialog, menu or picker", { timeout: 300_000 }, async () => {
  const { page, reader } = people;
  await page.emulateMedia({ reducedMotion: "reduce" });
  const id = await send("letter", "What is in thy mind", reader);
  await reader.do("PATCH", `/messages/${id}`, { content: "What is in thy mind, that makes thee stare thus?" });
  await openTopic("letter");
  await row(id).waitFor();
  const close = async () => {
    await page.keyboard.press("Escape");
    await page.locator("dialog[open], [role=menu], .emoji-picker").waitFor({ state: "detached" });
  };
  /** Opens something by keys, and by names of buttons or menu items. */
  const open = async (what: string, ...steps: (() => Promise<unknown>)[]) => {
    for (const step of steps) await step();
    await page.locator("dialog[open], [role=menu], .emoji-picker").first().waitFor();
    await expectNoneInAnyAppearance(what);
    await close();
  };
  const press = (key: string) => () => page.keyboard.press(key);
  const item = (name: string) => () => page.getByRole("menuitem", { name, exact: true }).click();
  const button = (name: string) => () => page.getByRole("button", { name, exact: true }).click();
  const selected = async () => {
    await row(id).focus();
  };
  await open("keys", press("?"));
  await open("palette", press("Control+k"));
  await open("emoji picker", selected, press(":"));
  await open("message menu", selected, press("i"));
  for (const name of ["Move", "Remind me", "Edit history", "Who has read this", "Delete"])
    await open(name, selected, press("i"), item(name));
  await open("account menu", button("Your account"));
  await open("profile", button("Your profile"));
  await open("invitation", button("Your account"), item("Invite people"));
  await page.goto(topicUrl("letter"));
  await page.locator(".channel .nav-row").first().hover();
  await open("channel menu", button(`Actions for ${people.channel.name}`));
  await page.keyboard.press("r");
  await page.keyboard.type("Pisanio, for");
  await open("send later", button("Send later"));
  for (const name of ["Poll", "To-do list"]) await open(name, button("Poll or to-do list"), item(name));
  await open("snippets", button("Saved snippets"));
  await page.locator("#search").focus();
  await page.getByRole("listbox", { name: "Search suggestions" }).waitFor();
  await expectNoneInAnyAppearance("search suggestions");
  expect(consoleErrors).toEqual([]);
});
