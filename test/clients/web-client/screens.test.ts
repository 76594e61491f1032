import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { type Language, languages } from "../../../web/base/languages/language.ts";
import { allAppearances, lightAndDark, violationsInEach } from "../../support/browser/appearances.ts";
import { browserTest } from "../../support/browser/browser-test.ts";
import {
  consoleErrors,
  nextFrames,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../support/browser/client-pages.ts";
import { cutTexts } from "../../support/browser/cut-texts.ts";
import { upload } from "../../support/files.ts";
import { eventually } from "../../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** The main views as people have them before them: at every size, in light and dark, and in every language. Cressida looks. */

let [cressida, troilus]: Person[] = [];
let channel: Channel;

const reader = () => cressida as Person;
const send = async (topic: string, content: string, sender = troilus as Person): Promise<number> =>
  (await sender.do("POST", "/messages", { type: "channel", to: channel.id, topic, content })).id;

withBrowser(async () => {
  [cressida, troilus] = [
    await aPerson("Cressida", { password, role: "owner" }),
    await aPerson("Prince Troilus Alexander of Ilium and Pergamum, Son of Priam"),
  ];
  channel = await aChannel("troy", [cressida, troilus]);
  await send("words", wordsOf(reader()));
  await send("words", "/me weeps", reader());
  await send("things", `[globe.png](${await upload(reader(), "globe.png", globe)})`);
  await send("things", code);
  await send("things", table);
  await send("things", "/poll Who comes here?\nHector\nAlexander Paris, whose name is longer than a phone is wide");
  const todo = await send("things", "/todo Before the war\nArmour: polish it\nHorse");
  await (troilus as Person).do("POST", `/messages/${todo}/reactions`, { emoji_name: "horse" });
  await reader().do("POST", `/messages/${todo}/reactions`, { emoji_name: "horse" });
  await (troilus as Person).do("POST", "/messages", { type: "direct", to: [reader().id], content: wordsOf(reader()) });
});

const globe = readFileSync(join(import.meta.dirname, "../../support/globe.png"));
const wordsOf = ({ id }: Person) => `# The prologue

**In Troy**, *there* ~~lies~~ the \`scene\`. [Greece](https://globe.test), @**Cressida|${id}** :ship: <time:2026-01-02T15:04:00Z>

> The princes orgulous, their high blood chafed
>
> > Have to the port of Athens sent their ships

1. fraught with the ministers
   * and instruments
   * of cruel war
2. sixty and nine

$$x$$ is $$\\sum_{i=1}^{69} crownet_i$$

\`\`\`math
\\int_{Athens}^{Troy} (ships + princes + ministers + instruments + vows + walls)^{69} \\, d(war) = \\frac{ravished}{sleeps}
\`\`\`

\`\`\`spoiler The end
Pandarus is left
\`\`\`

https://globe.test/${"antenorides-chetas-troien-".repeat(6)}

${"Honorificabilitudinitatibus".repeat(4)}

מים רבים לא יוכלו לכבות`;
const code = `\`\`\`python
# the gates of Priam's six-gated city, with massy staples and corresponsive and fulfilling bolts
def sperr_up(sons: list[str], of: str = "Troy") -> int:
    return sum(1 for son in sons if son.endswith(of)) * 3.5 if sons else None
\`\`\`

\`\`\`diff
- expectation
+ tickling skittish spirits
\`\`\``;
const table = `| Gate | Of the city | Staples | Bolts | Sons |
|---|---|---|---|---|
| Dardan | Timbria | massy | corresponsive | Hector, Paris |
| Helias | Chetas | massy | fulfilling | Troilus, Deiphobus |`;

const topicView = (topic: string) =>
  [`narrow/channel/${channel.id}-troy/topic/${topic}`, `${channel.name} › ${topic}`] as const;
/** The address and the heading of each view. */
const views = () =>
  [
    ["inbox", "Inbox"],
    ["recent", "Recent conversations"],
    ["feed", "Combined feed"],
    ["narrow/is/dm", "Direct messages"],
    [`narrow/dm/${troilus?.id}-dm`, troilus?.name ?? ""],
    topicView("words"),
    topicView("things"),
    ["settings/notifications", "Settings"],
    ["organization/permissions", "Settings"],
    ["organization/people", "Settings"],
    [`channels/${channel.id}`, channel.name],
  ] as const;

/** A time zone in which the hour has two digits, as 10 in the morning or in the evening: the widest times are shown. */
function whereItIsTen(): string {
  const hour = new Date().getUTCHours();
  const behind = hour >= 22 ? hour - 22 : hour - 10;
  return `Etc/GMT${behind < 0 ? "" : "+"}${behind}`;
}

browserTest.each([
  // The views also with high contrast, in English.
  { screen: { width: 1440, height: 900 }, isFirst: true },
  { screen: { width: 1024, height: 700 } },
  { screen: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  { screen: { width: 320, height: 640 }, isMobile: true, hasTouch: true },
])("nothing is cut or hard to see at $screen.width × $screen.height", { timeout: 600_000 }, async (device) => {
  const { screen: viewport, isFirst, ...options } = device;
  const page = await signedIn(reader(), { ...options, viewport, timezoneId: whereItIsTen() });
  const { members } = await reader().do("GET", "/users");
  const { streams } = await reader().do("GET", "/streams");
  // Names and descriptions may be cut, and other files write them.
  const names = new Set<string>(
    [...members, ...streams].flatMap(({ full_name, name, description }) => [full_name ?? name, description]),
  );
  const found: string[] = [];
  for (const language of Object.keys(languages) as Language[]) {
    const texts = await languages[language].texts();
    const named = (text: string) => texts[text] ?? text;
    await page.evaluate((code) => localStorage.setItem("skein-language", code), language);
    await page.reload();
    const isEnglish = language === "en";
    const look = async (what: string, appearances: typeof allAppearances | typeof lightAndDark = lightAndDark) => {
      await nextFrames(page);
      const add = (problem: string) => found.push(`${language}, ${what}: ${problem}`);
      for (const { place, text } of await cutTexts(page)) if (!names.has(text)) add(`${place}: ${text}`);
      // In the other languages the same elements have other texts, which the line above looks at.
      if (isEnglish) for (const violation of await violationsInEach(page, appearances)) add(violation);
    };
    const open = async (view: string, heading: string) => {
      await page.goto(urlOf(`#${view}`));
      await page.locator("main h1", { hasText: named(heading) }).waitFor();
      // Sections have the heading in common.
      if (/^(settings|organization)\//.test(view))
        await page.locator(`main [aria-current="page"][href$="#${view}"]`).waitFor({ state: "attached" });
      await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
    };
    for (const [view, heading] of views()) {
      await open(view, heading);
      await look(view, isFirst && isEnglish ? allAppearances : lightAndDark);
    }
    await open(...topicView("things"));
    const floating = page.locator("dialog[open], [role=menu], .emoji-picker");
    const close = async () => {
      await page.keyboard.press("Escape");
      await floating.waitFor({ state: "detached" });
    };
    const pressOnMessage = async (key: string) => {
      const message = page.locator(".message").last();
      await eventually(async () => {
        await message.focus();
        await nextFrames(page);
        return message.evaluate((element) => element === document.activeElement);
      });
      await page.keyboard.press(key);
    };
    await pressOnMessage(":");
    await floating.getByRole("button", { name: named("Flags"), exact: true }).waitFor();
    await look("emoji picker");
    await close();
    for (const key of ["?", "i"]) {
      await pressOnMessage(key);
      await floating.waitFor();
      await look(`what ${key} opens`);
      await close();
    }
    await page.getByRole("button", { name: named("Your account") }).click();
    await page.getByRole("menuitem", { name: named("Invite people") }).click();
    await page.locator("dialog[open]").waitFor();
    await look("invitation");
    await close();
    await page.keyboard.press("c");
    await page.locator(".topic-field").waitFor();
    await page.keyboard.press("Tab");
    await look("compose");
    await page.keyboard.press("Escape");
  }
  expect(found).toEqual([]);
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});
