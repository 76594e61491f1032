import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../../shared/store/channels/channels.ts";
import { browserTest } from "../../../support/browser/browser-test.ts";
import {
  consoleErrors,
  expectNoViolations,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../../support/browser/client-pages.ts";
import { unique } from "../../../support/unique.ts";
import { aChannel, aPerson, type Person } from "../../../support/world.ts";

/** What helps to write in the web client: Prospero writes, at a desk and on a phone. */

let [prospero, ariel, antonio]: Person[] = [];
let channel: Channel;
let page: Page;

withBrowser(async () => {
  // Of the two whose names begin alike, the one who comes second by the alphabet takes part.
  [prospero, antonio, ariel] = [
    await aPerson("Prospero", { password }),
    await aPerson("Sprite Antonio"),
    await aPerson("Sprite Ariel"),
  ];
  channel = await aChannel("tempest", [prospero, ariel, antonio]);
  page = await signedIn(prospero as Person, { viewport: { width: 1280, height: 800 } });
});

const send = async (topic: string, content: string, sender = ariel as Person): Promise<number> =>
  (await sender.do("POST", "/messages", { type: "channel", to: channel.id, topic, content })).id;
const field = () => page.getByLabel("Message", { exact: true });
const text = () => field().inputValue();
const message = (content: string) => page.locator(".message:not(.outgoing)", { hasText: content });

async function openTopic(topic: string) {
  await page.goto(urlOf(`#narrow/channel/${channel.id}-x/topic/${topic}`));
  await page.getByRole("heading", { name: new RegExp(`${topic}$`) }).waitFor();
}

browserTest("Enter continues a list and ends it at an empty item", async () => {
  await openTopic("list");
  await field().fill("");
  await page.keyboard.type("- earth\nair\n");
  expect(await text()).toBe("- earth\n- air\n- ");
  await page.keyboard.press("Enter");
  expect(await text()).toBe("- earth\n- air\n");
  await page.keyboard.type("9. fire\nwater");
  expect(await text()).toBe("- earth\n- air\n9. fire\n10. water");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("and all");
  expect(await text()).toBe("- earth\n- air\n9. fire\n10. water\nand all");
  // Of the next line, nothing is selected.
  await field().fill("thou\nmy slave\nAriel");
  await field().evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(0, 14));
  await page.getByRole("button", { name: "List", exact: true }).click();
  expect(await text()).toBe("- thou\n- my slave\nAriel");
  await field().fill("");
});

browserTest("the editor of a message continues a list by Enter, and not with Shift", async () => {
  await openTopic("list");
  const item = `- ${unique("sands")}`;
  await field().fill(item);
  await page.keyboard.press("Control+Enter");
  await message(item.slice(2)).waitFor();
  await page.keyboard.press("ArrowUp");
  const editor = page.getByLabel("Text of the message");
  await editor.waitFor();
  await expect.poll(() => editor.inputValue()).toBe(item);
  await editor.press("Control+End");
  await editor.press("Enter");
  expect(await editor.inputValue()).toBe(`${item}\n- `);
  await editor.fill(item);
  await editor.press("Shift+Enter");
  expect(await editor.inputValue()).toBe(`${item}\n`);
  await editor.fill(item);
  await editor.press("Escape");
  await editor.waitFor({ state: "detached" });
});

browserTest("keys and buttons format the selected text, again to undo it, as Ctrl+Z does", async () => {
  await openTopic("isle");
  await field().fill("rough magic");
  await field().evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(6, 11));
  await page.keyboard.press("Control+b");
  expect(await text()).toBe("rough **magic**");
  await page.keyboard.press("Control+z");
  expect(await text()).toBe("rough magic");
  await field().evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(6, 11));
  await page.keyboard.press("Control+i");
  expect(await text()).toBe("rough *magic*");
  await page.keyboard.press("Control+a");
  await page.getByRole("button", { name: "Quote", exact: true }).click();
  expect(await text()).toBe("```quote\nrough *magic*\n```\n");
  await field().fill("the isle");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+Shift+l");
  await page.keyboard.type("https://isle.test/");
  expect(await text()).toBe("[the isle](https://isle.test/)");
  await page.keyboard.press("Control+Enter");
  await message("the isle").locator('a[href="https://isle.test/"]').waitFor();

  // Items are whole lines, wherever the cursor is.
  await field().fill("books:\nstaff");
  await page.getByRole("button", { name: "List", exact: true }).click();
  await page.keyboard.type(" and robe");
  expect(await text()).toBe("books:\n- staff and robe");
  // A block begins on a line of its own, and its text is what one types next.
  await field().fill("spells:");
  await page.getByRole("button", { name: "Math", exact: true }).click();
  await page.keyboard.type("e^x");
  expect(await text()).toBe("spells:$$e^x$$");
  await page.keyboard.press("End");
  await page.getByRole("button", { name: "Time", exact: true }).click();
  const times = page.getByRole("dialog", { name: "Insert a time" });
  // A time that is past can be written about.
  await times.getByLabel("Day", { exact: true }).fill("2020-02-29");
  await times.getByLabel("AM or PM").selectOption("AM");
  await times.getByLabel("Hour").selectOption("7");
  await times.getByLabel("Minute").selectOption("35");
  await times.getByRole("button", { name: "Choose this time" }).click();
  await times.waitFor({ state: "detached" });
  await expect.poll(text).toMatch(/^spells:\$\$e\^x\$\$<time:2020-02-29T07:35[+-]\d\d:\d\d>$/);

  // The marks may be selected or not, and `**` is not twice `*`.
  await field().fill("magic");
  await page.keyboard.press("Control+a");
  for (const [key, formatted] of [
    ["Control+b", "**magic**"],
    ["Control+i", "***magic***"],
    ["Control+b", "*magic*"],
    ["Control+i", "magic"],
    ["Control+b", "**magic**"],
  ] as const) {
    await page.keyboard.press(key);
    expect(await text()).toBe(formatted);
  }
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+i");
  expect(await text()).toBe("***magic***");
  await field().fill("");
});

browserTest("those who take part are suggested first, and a topic is completed after its channel", async () => {
  await send("wreck", "All but mariners plunged in the foaming brine");
  await openTopic("wreck");
  await message("foaming brine").waitFor();
  await field().pressSequentially("@sprite");
  const options = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
  await expect.poll(() => options.allTextContents()).toHaveLength(2);
  expect((await options.allTextContents())[0]).toContain("Sprite Ariel");
  await page.keyboard.press("Enter");
  expect(await text()).toBe("@**Sprite Ariel** ");

  await field().fill("");
  await field().pressSequentially(`see #${channel.name}>wre`);
  await options.filter({ hasText: "wreck" }).waitFor();
  await page.keyboard.press("Tab");
  expect(await text()).toBe(`see #**${channel.name}>wreck** `);
  await page.keyboard.press("Control+Enter");
  await message("see").locator("a", { hasText: "wreck" }).waitFor();

  // A suggestion is for the place where it was asked for, and the Enter that ends a composition does not accept it.
  await field().fill("Hi  please do");
  await field().evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(3, 3));
  await page.keyboard.type("@spri");
  await options.first().waitFor();
  await field().dispatchEvent("keydown", { key: "Enter", isComposing: true });
  expect(await text()).toBe("Hi @spri please do");
  await page.keyboard.press("End");
  await options.first().waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  expect(await text()).toBe("Hi @spri please do\n");
  await field().fill("");
});

browserTest("a file that is dropped on the messages is added to the text", async () => {
  await openTopic("cell");
  await field().waitFor();
  const files = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["I'll drown my book"], "book.txt", { type: "text/plain" }));
    return transfer;
  });
  const list = page.locator("#messages");
  const target = page.getByText("Drop the files to add them to the message");
  // A browser repeats it while files are dragged, also when the box for another topic takes the place of one that shows the target.
  const isTaken = async () => {
    await list.dispatchEvent("dragover", { dataTransfer: files });
    return target.isVisible();
  };
  await expect.poll(isTaken).toBe(true);
  await list.dispatchEvent("drop", { dataTransfer: files });
  await expect.poll(text).toContain("[book.txt](/user_uploads/");
  await target.waitFor({ state: "detached" });
  await field().fill("");

  // Not a picture of the page, nor what is dropped on the editor of another message; the browser does not show it either.
  await list.dispatchEvent("dragstart");
  await list.dispatchEvent("drop", { dataTransfer: files });
  await list.dispatchEvent("dragend");
  await field().fill("I'll to my book");
  await page.keyboard.press("Control+Enter");
  await message("to my book").waitFor();
  await page.keyboard.press("ArrowUp");
  const editor = page.getByLabel("Text of the message");
  await editor.waitFor();
  const isPrevented = await editor.evaluate(
    (area, dataTransfer) =>
      !area.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true })),
    files,
  );
  expect(isPrevented).toBe(true);
  await editor.press("Escape");
  expect(await page.locator(".upload").count()).toBe(0);
  expect(await text()).toBe("");
});

browserTest(
  "a file whose upload ends late changes neither the selection, the focus nor whom the text is for",
  async () => {
    let finish = () => {};
    const isFinished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await page.route("**/api/v1/user_uploads", async (route) => {
      await isFinished;
      await route.continue();
    });
    const add = (name: string) =>
      page
        .locator(".compose input[type=file]")
        .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from("I'll drown my book") });
    await page.goto(urlOf(`#narrow/channel/${channel.id}-x`));
    await field().fill("This rough magic ");
    await add("staff.txt");
    await page.getByRole("progressbar", { name: "Uploading staff.txt" }).waitFor();
    await openTopic("cell");
    await field().fill("I here abjure");
    await add("cloak.txt");
    await page.getByRole("progressbar", { name: "Uploading cloak.txt" }).waitFor();
    await field().press("Control+a");
    await page.locator("#messages").focus();
    finish();
    await expect.poll(text).toMatch(/^I here abjure\[cloak\.txt\]\(\/user_uploads\/.*\)\n$/);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("messages");
    expect(
      await field().evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd)),
    ).toBe("I here abjure");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await field().fill("");

    // The first draft is still that of its channel, and of no other whose view was open when its upload ended.
    await page.goto(urlOf(`#narrow/channel/${channel.id}-x`));
    await expect.poll(text).toMatch(/^This rough magic \[staff\.txt\]/);
    await field().fill("");
  },
);

browserTest("a recipient is found by typing, by keyboard alone", async () => {
  await page.goto(urlOf("#inbox"));
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.locator("body").press("c");
  await page.getByRole("combobox", { name: "Channel" }).focus();
  await page.keyboard.type(channel.name.slice(0, -1));
  await page.getByRole("listbox", { name: "Channel" }).getByRole("option", { name: channel.name }).waitFor();
  await expectNoViolations(page);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.type("wre");
  await page.getByRole("listbox", { name: "Topic" }).getByRole("option", { name: "wreck" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await field().fill("Be not afeard");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { name: /› wreck$/ }).waitFor();
  await message("Be not afeard").waitFor();

  await page.goto(urlOf("#inbox"));
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.locator("body").press("x");
  await page.getByRole("combobox", { name: "Add a person" }).focus();
  await page.keyboard.type("sprite ariel");
  await page.getByRole("listbox", { name: "Add a person" }).getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove Sprite Ariel" }).waitFor();
  // Nobody is added by Enter alone; who is typed is added also if one goes on without it.
  await page.getByRole("combobox", { name: "Add a person" }).fill("");
  await page.keyboard.press("Enter");
  await expect.poll(() => field().evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByRole("combobox", { name: "Add a person" }).focus();
  await page.keyboard.type("sprite antonio");
  await page.getByRole("listbox", { name: "Add a person" }).getByRole("option").first().waitFor();
  await field().click();
  await page.getByRole("button", { name: "Remove Sprite Antonio" }).waitFor();
  expect(await page.getByRole("button", { name: /^Remove / }).count()).toBe(2);
});

browserTest("a message goes where the fields for its recipient say, whatever happens while one chooses", async () => {
  const abbey = await aChannel("abbey", [prospero as Person]);
  const options = { topicsPolicy: "disable_empty_topic" } as const;
  const vault = await aChannel("vault", [prospero as Person, ariel as Person], options);
  const sendTo = (topic: string) =>
    (ariel as Person).do("POST", "/messages", { type: "channel", to: vault.id, topic, content: `to ${topic}` });
  await sendTo("cave");
  await sendTo("grove");
  await page.goto(urlOf("#recent"));
  await page.getByRole("heading", { name: "Recent conversations" }).waitFor();
  await page.locator("body").press("c");
  const chosen = page.getByRole("combobox", { name: "Channel" });
  const topic = page.getByRole("combobox", { name: "Topic" });
  const hasFocus = () => topic.evaluate((element) => element === document.activeElement);

  // What is typed is chosen on leaving the field; Tab goes on to the topic.
  await chosen.fill("abbey");
  await page.getByRole("option", { name: abbey.name, selected: true }).waitFor();
  await page.keyboard.press("Tab");
  expect(await chosen.inputValue()).toBe(abbey.name);
  await expect.poll(hasFocus).toBe(true);
  // A name that no channel has does not leave the message addressed to the one before.
  await chosen.fill("nunnery");
  await field().click();
  await page.getByText("You aren't in a channel called “nunnery”.").waitFor();
  await page.getByText("Choose where to write:").waitFor();
  expect([await chosen.inputValue(), await topic.count()]).toEqual(["", 0]);
  await chosen.fill("vault");
  await page.getByRole("option", { name: vault.name, selected: true }).waitFor();
  await field().click();
  await expect.poll(() => chosen.inputValue()).toBe(vault.name);

  // The topic that is missing is asked for, and Enter alone chooses nothing.
  await field().fill("Full fathom five");
  await page.keyboard.press("Control+Enter");
  await expect.poll(hasFocus).toBe(true);
  await page.keyboard.press("Enter");
  await chosen.focus();
  await page.getByRole("listbox", { name: "Channel" }).waitFor();
  await page.keyboard.press("Enter");
  await topic.focus();
  expect(await chosen.inputValue()).toBe(vault.name);

  // The first arrow takes the first topic, which stays the one while another gets a message.
  const topics = page.getByRole("listbox", { name: "Topic" }).getByRole("option");
  await expect.poll(() => topics.allTextContents()).toEqual(["grove", "cave"]);
  await page.keyboard.press("ArrowDown");
  const highlighted = page.getByRole("option", { selected: true });
  await expect.poll(() => highlighted.allTextContents()).toEqual(["grove"]);
  await sendTo("shore");
  await page.getByText("shore", { exact: true }).first().waitFor();
  expect(await topics.allTextContents()).toEqual(["grove", "cave"]);
  await page.keyboard.press("Enter");
  expect(await topic.inputValue()).toBe("grove");
  await field().press("Control+Enter");
  await page.getByRole("heading", { name: /› grove$/ }).waitFor();
  await message("Full fathom five").waitFor();
});

const paste = async (plain: string, html = "") => {
  await field().evaluate(
    (area: HTMLTextAreaElement, [asText, asHtml]) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", asText as string);
      if (asHtml) clipboardData.setData("text/html", asHtml);
      area.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    },
    [plain, html],
  );
  return text();
};

browserTest("a pasted address becomes a link of what is selected, or names where it leads", async () => {
  await openTopic("wreck");
  await field().fill("the isle");
  await page.keyboard.press("Control+a");
  // What makes a link of it is loaded when the field gets the focus.
  await expect.poll(() => paste("https://isle.test/a_(b)")).toBe("[the isle](https://isle.test/a_(b%29)");
  await page.keyboard.press("Control+z");
  expect(await text()).toBe("the isle");
  await field().fill("");
  const here = urlOf(`/#narrow/channel/${channel.id}-x/topic/wreck`);
  expect(await paste(here)).toBe(`#**${channel.name}>wreck**`);
  await field().fill("");
  expect(await paste(`${here}/near/12`)).toBe(`#**${channel.name}>wreck@12**`);
  // Neither in code nor in the parentheses of a link.
  for (const before of ["```\n", "`", "[there]("]) {
    await field().fill(before);
    await field().press("Control+End");
    expect(await paste(here)).toBe(before);
  }
  await field().fill("");
});

browserTest("pasted HTML keeps its form, and what has none is pasted as its text", async () => {
  await openTopic("wreck");
  await field().focus();
  const pasted = async (html: string, plain = "plain") => {
    await field().fill("");
    return paste(plain, html);
  };
  await expect.poll(() => pasted("<b>Full</b> fathom <i>five</i>")).toBe("**Full** fathom *five*");
  expect(
    await pasted(`<meta charset="utf-8"><h2>Isle</h2><p>See <a href="https://isle.test/a_(b)">the <b>map</b></a>.</p>
      <ul><li>earth<ol start="3"><li>air</li><li>fire</li></ol></li><li>water</li></ul>
      <blockquote><p>Be not afeard</p><p>the isle is full</p></blockquote><pre>let x = "\`\`\`";\n\n\nx;  </pre>
      <p>Say <code>a\`b</code>, <del>no</del><br>more</p><script>alert(1)</script>
      <table><tr><th>who</th><th>a|b</th></tr><tr><td>Ariel</td></tr></table>`),
  ).toBe(
    [
      ...["## Isle", "", "See [the **map**](https://isle.test/a_(b%29).", ""],
      ...["- earth", "  3. air", "  4. fire", "- water", ""],
      ...["> Be not afeard", ">", "> the isle is full", ""],
      ...["````", 'let x = "```";', "", "", "x;  ", "````", "", "Say ``a`b``, ~~no~~", "more", ""],
      ...["| who | a\\|b |", "| --- | --- |", "| Ariel |  |"],
    ].join("\n"),
  );
  // As a word processor's page and an editor of code do it.
  const bold = '<b style="font-weight:normal"><span style="font-weight:700">Caliban</span><span> has a new</span></b>';
  expect(await pasted(bold)).toBe("**Caliban** has a new");
  for (const [html, plain] of [
    ['<div style="color: #d4d4d4"><div><span>const a</span></div></div>', "const a"],
    ["<pre>word</pre>", "word"],
    ['<a href="javascript:alert(1)">Get a new man</a>', "Get a new man"],
  ] as const)
    expect([html, await pasted(html, plain)]).toEqual([html, ""]);
  // In code, nothing is formatted.
  await field().fill("```\n");
  await field().press("Control+End");
  expect(await paste("Full", "<b>Full</b>")).toBe("```\n");
  await field().fill("");
});

browserTest("the box warns of what the sender may not know, and offers the way out", async () => {
  const caliban = await aPerson("Caliban");
  await openTopic("wreck");
  await field().fill(`@**Caliban|${caliban.id}** and @**Sprite Ariel** come`);
  const warning = page.locator(".warning");
  await warning.getByText("Caliban isn't subscribed").waitFor();
  expect(await warning.count()).toBe(1);
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Subscribe Caliban" }).click();
  await warning.waitFor({ state: "detached" });
  const { subscribers } = await (prospero as Person).do("GET", `/streams/${channel.id}/members`);
  expect(subscribers).toContain(caliban.id);
  await field().fill("");

  // A message of a channel's view has a topic by choice.
  await page.goto(urlOf(`#narrow/channel/${channel.id}-x`));
  await page.getByRole("heading", { name: channel.name, exact: true }).waitFor();
  await field().fill("We are such stuff");
  await page.keyboard.press("Control+Enter");
  await page.getByText("Choose a topic, or send again").waitFor();
  expect(
    await page.getByRole("combobox", { name: "Topic" }).evaluate((input) => input === document.activeElement),
  ).toBe(true);
  expect(await text()).toBe("We are such stuff");
  await field().press("Control+Enter");
  await page.getByRole("heading", { name: /general chat$/ }).waitFor();
  await message("such stuff").waitFor();
});

browserTest("a topic is renamed and resolved from its menu, and reopened from the box", async () => {
  await send("masque", "Our revels now are ended. These our actors were all spirits");
  await openTopic("masque");
  const menu = async (item: string) => {
    await page
      .locator(".view-head")
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await menu("Rename or move");
  const dialog = page.getByRole("dialog", { name: "Rename or move" });
  await dialog.getByRole("textbox", { name: "Topic" }).fill("revels");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { name: /revels$/ }).waitFor();
  await menu("Resolve");
  await page.getByRole("heading", { name: /✔ revels$/ }).waitFor();
  await field().fill("melted into air");
  await page.locator(".warning").getByRole("button", { name: "Reopen it" }).click();
  await page.getByRole("heading", { name: /› revels$/ }).waitFor();
  await field().fill("");
});

browserTest(
  "a message of somebody else is forwarded with a link to it, its text is copied, and its source shown",
  async () => {
    const source = "Full **fathom** five\n\n1. thy father lies";
    await send("sea change", source);
    await openTopic("sea change");
    await field().fill("Hark!");
    const choose = async (item: string) => {
      await message("Full fathom five").hover();
      await message("Full fathom five").getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: item, exact: true }).click();
    };
    await choose("Forward");
    // Where to comes first; what was being written here stays a draft.
    const to = page.getByRole("combobox", { name: "Channel" });
    await expect.poll(() => to.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await text()).toContain(source);
    await expectNoViolations(page);
    await page.keyboard.type(channel.name);
    await page.keyboard.press("Enter");
    await page.getByRole("combobox", { name: "Topic" }).fill("knell");
    await field().press("Control+Enter");
    await page.getByRole("heading", { name: /› knell$/ }).waitFor();
    const forwarded = message("said").last();
    await forwarded.locator("blockquote", { hasText: "thy father lies" }).waitFor();
    await forwarded.getByRole("link", { name: "said" }).click();
    await page.getByRole("heading", { name: /› sea change$/ }).waitFor();
    await expect.poll(text).toBe("Hark!");
    await field().fill("");

    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await choose("Copy text");
    await page.getByText("The text was copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(source);
    await choose("View source");
    const shown = page.getByRole("dialog", { name: "Message source" }).getByRole("textbox");
    await expect.poll(() => shown.inputValue()).toBe(source);
    await expectNoViolations(page);
    await page.keyboard.press("Escape");
  },
);

browserTest("the dialog that renames a topic outlives the row from which it was opened", async () => {
  await send("pageant", "This insubstantial pageant faded");
  await page.goto(urlOf("#inbox"));
  const row = page.locator(".page li", { hasText: "pageant" });
  await row.getByRole("button", { name: "Actions for pageant" }).click();
  await page.getByRole("menuitem", { name: "Rename or move" }).click();
  const dialog = page.getByRole("dialog", { name: "Rename or move" });
  const name = dialog.getByRole("textbox", { name: "Topic" });
  await name.fill("not a rack behind");
  // Read elsewhere, the topic leaves the inbox.
  await (prospero as Person).do("POST", "/mark_topic_as_read", { stream_id: channel.id, topic_name: "pageant" });
  await row.waitFor({ state: "detached" });
  expect(await name.inputValue()).toBe("not a rack behind");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await openTopic("not a rack behind");
  await message("insubstantial pageant").waitFor();
});

browserTest(
  "from the topic, Enter and Tab go on to the text, Ctrl+Enter sends, and Escape closes the box",
  async () => {
    const topic = page.getByRole("combobox", { name: "Topic" });
    const isWriting = () => field().evaluate((element) => element === document.activeElement);
    await page.goto(urlOf(`#narrow/channel/${channel.id}-x`));
    await field().fill("Those are pearls");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => topic.evaluate((element) => element === document.activeElement)).toBe(true);
    for (const key of ["Enter", "Tab"]) {
      await topic.fill("pearls");
      await page.keyboard.press(key);
      await expect.poll(isWriting).toBe(true);
    }
    await topic.fill("pearls");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { name: /› pearls$/ }).waitFor();
    await message("Those are pearls").waitFor();

    await page.goto(urlOf(`#narrow/channel/${channel.id}-x`));
    await field().fill("that were his eyes");
    await topic.focus();
    await page.getByRole("listbox", { name: "Topic" }).waitFor();
    // The first one closes the list of topics.
    await page.keyboard.press("Escape");
    await page.getByRole("listbox", { name: "Topic" }).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await field().waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Write to/ }).click();
    expect(await text()).toBe("that were his eyes");
    await field().fill("");
  },
);

browserTest("a preview is beside the text where there is room, and in its place on a phone", async () => {
  await page.setViewportSize({ width: 1024, height: 700 });
  await openTopic("cell");
  await field().fill("I'll **drown** my book");
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  const preview = page.getByRole("region", { name: "Preview" });
  await preview.getByText("drown").and(preview.locator("strong")).waitFor();
  // Follows what one goes on writing, and stays for the next message.
  await field().press("End");
  await page.keyboard.type(" and *staff*");
  await preview.locator("em", { hasText: "staff" }).waitFor();
  const [text, beside] = [await field().boundingBox(), await preview.boundingBox()];
  expect(beside?.x).toBeGreaterThan((text?.x ?? 0) + (text?.width ?? 0));
  await page.keyboard.press("Control+Enter");
  await message("drown my book").waitFor();
  await expect.poll(() => preview.textContent()).toBe("Preview");
  await openTopic("isle");
  await preview.waitFor();

  await page.setViewportSize({ width: 390, height: 844 });
  await field().fill("Our **revels**");
  expect(await preview.count()).toBe(0);
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  await preview.locator("strong", { hasText: "revels" }).waitFor();
  expect(await field().count()).toBe(0);
  await page.getByRole("button", { name: "Keep writing" }).click();
  expect(await field().inputValue()).toBe("Our **revels**");
  await field().fill("");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Preview", exact: true, pressed: true }).click();
  await preview.waitFor({ state: "detached" });
});

browserTest("on a phone the topic comes first, the box has one line until it is used, and no field zooms", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openTopic("wreck");
  await message("foaming brine").waitFor();
  const topOf = async (name: string) => (await page.locator(".view-head h1").getByText(name).boundingBox())?.y ?? 0;
  expect(await topOf("wreck")).toBeLessThan(await topOf(channel.name));
  const compose = page.locator(".compose");
  const heightOf = async () => (await compose.boundingBox())?.height ?? 0;
  await page.locator("#messages").focus();
  await expect.poll(heightOf).toBeLessThan(64);
  await field().click();
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
  await field().fill("My brave spirit!");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await message("My brave spirit!").waitFor();
  expect(await field().evaluate((area) => getComputedStyle(area).fontSize)).toBe("16px");
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await expectNoViolations(page);
  expect(consoleErrors).toEqual([]);
});
