import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../shared/core/markdown/render.ts";
import { rendersTo, testContext } from "./context.ts";

const user = (id: number, text: string, kind = "user-mention") =>
  `<span class="${kind}" data-user-id="${id}">${text}</span>`;

describe("users", () => {
  rendersTo([
    ["by name", "@**Zoe**", `<p>${user(7, "@Zoe")}</p>`],
    ["in another case", "@**king hamlet**!", `<p>${user(8, "@King Hamlet")}!</p>`],
    ["with an ID", "@**Mark Twin|11**", `<p>${user(11, "@Mark Twin")}</p>`],
    ["by ID alone", "@**|9**", `<p>${user(9, "@Ann O'Brien")}</p>`],
    ["silently", "@_**Zoe**", `<p>${user(7, "Zoe", "user-mention silent")}</p>`],
    ["after a bracket", "(@**Zoe**)", `<p>(${user(7, "@Zoe")})</p>`],
    ["an ID of someone else", "@**Zoe|8**", "<p>@<strong>Zoe|8</strong></p>"],
    ["nobody of that name", "@**nobody**", "<p>@<strong>nobody</strong></p>"],
    ["in a word", "a@**Zoe**", "<p>a@<strong>Zoe</strong></p>"],
    ["in code", "`@**Zoe**`", "<p><code>@**Zoe**</code></p>"],
    [
      "silenced in quotes",
      "> @**Zoe** hi",
      `<blockquote>\n<p>${user(7, "Zoe", "user-mention silent")} hi</p>\n</blockquote>`,
    ],
    [
      "silenced in quotes without a blank",
      ">@**Zoe**",
      `<blockquote>\n<p>${user(7, "Zoe", "user-mention silent")}</p>\n</blockquote>`,
    ],
    [
      "silenced in quote fences",
      "```quote\n@**Zoe**\n```",
      `<blockquote>\n<p>${user(7, "Zoe", "user-mention silent")}</p>\n</blockquote>`,
    ],
    ["in a list", "* @**Zoe**", `<ul>\n<li>${user(7, "@Zoe")}</li>\n</ul>`],
  ]);
});

describe("wildcards and groups", () => {
  const wildcard = (text: string, silent = "") =>
    `<span class="user-mention channel-wildcard-mention${silent}" data-user-id="*">${text}</span>`;
  rendersTo([
    ["all", "@**all**", `<p>${wildcard("@all")}</p>`],
    [
      "other names of @all",
      "@**everyone** @**channel** @**stream**",
      `<p>${wildcard("@everyone")} ${wildcard("@channel")} ${wildcard("@stream")}</p>`,
    ],
    ["silently", "@_**all**", `<p>${wildcard("all", " silent")}</p>`],
    ["the topic", "@**topic**", '<p><span class="topic-mention">@topic</span></p>'],
    ["a group", "@*Support*", '<p><span class="user-group-mention" data-user-group-id="17">@support</span></p>'],
    [
      "a group silently",
      "@_*support*",
      '<p><span class="user-group-mention silent" data-user-group-id="17">support</span></p>',
    ],
    [
      "a system group with its display name",
      "@_*role:administrators*",
      '<p><span class="user-group-mention silent" data-user-group-id="3">Administrators</span></p>',
    ],
    [
      "a group in a quote",
      "> @*support*",
      '<blockquote>\n<p><span class="user-group-mention silent" data-user-group-id="17">support</span></p>\n</blockquote>',
    ],
    ["no such group", "@*nobody*", "<p>@<em>nobody</em></p>"],
  ]);
});

describe("the mentions that rendering returns", () => {
  test.each([
    ["@**Zoe** @**Zoe** @_**King Hamlet**", { mentionedUserIds: [7] }],
    ["> @**Zoe**", { mentionedUserIds: [] }],
    ["`@**Zoe**`", { mentionedUserIds: [] }],
    ["@*support* @_*role:administrators*", { mentionedGroupIds: [17] }],
    ["@**all**", { channelWildcard: true, topicWildcard: false }],
    ["@_**all** > @**topic**", { channelWildcard: false, topicWildcard: true }],
    ["/me waves at @**Zoe**", { isMeMessage: true, mentionedUserIds: [7] }],
    ["/meow", { isMeMessage: false }],
  ])("%s: %o", async (markdown, mentions) => {
    expect(await renderMarkdown(markdown, testContext())).toMatchObject(mentions);
  });
});

describe("channels, topics and messages", () => {
  const channel = (id: number, path: string, text: string) =>
    `<a class="stream" data-stream-id="${id}" href="/#narrow/channel/${path}">${text}</a>`;
  const topic = (path: string, text: string) =>
    `<a class="stream-topic" data-stream-id="9" href="/#narrow/channel/9-Denmark/topic/${path}">${text}</a>`;
  rendersTo([
    ["a channel", "#**denmark**", `<p>${channel(9, "9-Denmark", "#Denmark")}</p>`],
    [
      "blanks and parentheses in its name",
      "#**social (new)**",
      `<p>${channel(13, "13-social-.28new.29", "#social (new)")}</p>`,
    ],
    ["a dot in its name", "#**v1.5**", `<p>${channel(14, "14-v1.2E5", "#v1.5")}</p>`],
    ["a topic", "#**Denmark>some topic**", `<p>${topic("some.20topic/with/214", "#Denmark &gt; some topic")}</p>`],
    ["a topic without messages", "#**Denmark>new**", `<p>${topic("new", "#Denmark &gt; new")}</p>`],
    [
      "the topic without a name",
      "#**Denmark>**",
      `<p>${topic("/with/214", "#Denmark &gt; <em>general chat</em>")}</p>`,
    ],
    [
      "a message",
      "#**Denmark>t@214**",
      '<p><a class="message-link" href="/#narrow/channel/9-Denmark/topic/t/near/214">#Denmark &gt; t @ 💬</a></p>',
    ],
    [
      "a message of the topic without a name",
      "#**Denmark>@214**",
      '<p><a class="message-link" href="/#narrow/channel/9-Denmark/topic//near/214">#Denmark &gt; <em>general chat</em> @ 💬</a></p>',
    ],
    ["markup in a topic's name", "#**Denmark>`a`**", "<p>#<strong>Denmark&gt;<code>a</code></strong></p>"],
    ["a channel that is not there or hidden", "#**Secret>plans**", "<p>#<strong>Secret&gt;plans</strong></p>"],
    ["in a word", "a#**Denmark**", "<p>a#<strong>Denmark</strong></p>"],
    ["in code", "`#**Denmark**`", "<p><code>#**Denmark**</code></p>"],
  ]);
});

describe("look-ups", () => {
  test("rendering plain text looks up nothing", async () => {
    const context = testContext();

    await renderMarkdown("Just words, a **bold** one (really), and 3 < 4.", context);

    expect(context.lookups).toEqual([]);
  });

  test("rendering looks up only what the content names, each once", async () => {
    const context = testContext();

    await renderMarkdown("@**Zoe** @**Zoe** @**|8** #**Denmark>a** #**Denmark** :x:", context);

    expect(context.lookups.sort()).toEqual([
      "channels Denmark, Denmark>a",
      "emoji",
      'topics {"channelId":9,"topic":"a"}',
      "user IDs 8",
      "users Zoe",
    ]);
  });
});
