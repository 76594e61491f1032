import { beforeEach, describe, expect, test, vi } from "vitest";
import { fold } from "../../shared/base/folding.ts";
import { beginningMatcher, isSameName, matcher, matching, named } from "../../web/base/lib/find.ts";
import { state } from "../../web/session/store.ts";
import type { State } from "../../web/state/model.ts";
import { suggestionsFor } from "../../web/views/compose/completion.ts";
import { topicsByChannel } from "../../web/views/conversations/channel-topics.ts";
import { fc } from "../support/random.ts";

const names = [
  "Gaël",
  "Ana-María Łukasz",
  "Søren Kierkegård",
  "Jürgen Groß",
  "ΝΊΚΟΣ",
  "équipe",
  "İpek",
  "Ｗｉｄｅ",
  "Ægir",
  "star*chan",
];

describe("a name is found by what people type", () => {
  test.each([
    ["gael", "Gaël"],
    ["GAËL", "Gaël"],
    ["Gae\u0308l", "Gaël"],
    ["lukasz ana", "Ana-María Łukasz"],
    ["maria", "Ana-María Łukasz"],
    ["soren", "Søren Kierkegård"],
    ["kierkegard", "Søren Kierkegård"],
    ["gross", "Jürgen Groß"],
    ["juergen", undefined],
    ["νικος", "ΝΊΚΟΣ"],
    ["equ", "équipe"],
    ["ipek", "İpek"],
    ["wide", "Ｗｉｄｅ"],
    ["aegir", "Ægir"],
    ["chan", "star*chan"],
  ])("%s", (query, name) => {
    expect(matching(names, query, (each) => each)).toEqual(name === undefined ? [] : [name]);
    if (name && !query.includes(" ")) expect(names.filter(beginningMatcher(query))).toEqual([name]);
  });

  test("every name is found by itself in any case and by its letters without accents", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 12 }), (name) => {
        for (const query of [name, name.toLowerCase(), name.normalize("NFD"), name.normalize("NFC"), fold(name)])
          expect(matcher(query)(`${name} and more`)).toBeDefined();
        expect(isSameName(name, name.normalize("NFD"))).toBe(true);
      }),
    );
  });

  test.each([
    ["reco", "Recent conversations"],
    ["rc", "Recent conversations"],
    ["lorezno", "Lorenzo"],
    ["lorenz0", "Lorenzo"],
    ["lornzo", "Lorenzo"],
    ["lorrenzo", "Lorenzo"],
    ["jurgne gr", "Jürgen Groß"],
    ["mark all raed", "Mark all as read"],
  ])("%s is near %s", (query, name) => {
    expect([matcher(query)(name), matcher(query, { near: true })(name)]).toEqual([undefined, 3]);
  });

  test.each([
    ["oc", "Recent conversations"],
    ["rcx", "Recent conversations"],
    ["olrenzo", "Lorenzo"],
    ["lonrez", "Lorenzo Ricci"],
    ["tex", "test"],
    ["lorezno gr", "Lorenzo"],
  ])("%s is not near %s", (query, name) => {
    expect(matcher(query, { near: true })(name)).toBeUndefined();
  });

  test("a name is near itself with one wrong letter after the first, and many words take little time", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."abc"), minLength: 4, maxLength: 9 });
    fc.assert(
      fc.property(letters, fc.nat(), fc.constantFrom(..."abcx", ""), fc.nat(1), (name, at, letter, skipped) => {
        const place = 1 + (at % (name.length - 1));
        const typed = name.slice(0, place) + letter + name.slice(place + skipped);
        if (typed.length >= 4) expect([typed, matcher(typed, { near: true })(name)]).not.toContain(undefined);
      }),
    );
    const many = "a ".repeat(2_000);
    expect(matcher(`${"a".repeat(40)}b`, { near: true })(many)).toBeUndefined();
  });

  test("of names that are alike, the exact one is meant", () => {
    const alike = ["Gaël", "gael", "Gael"];
    expect(alike.map((name) => named(alike, name, (each) => each))).toEqual(["Gaël", "gael", "gael"]);
    expect(named(["equipe", "équipe"], "ÉQUIPE", (each) => each)).toBe("équipe");
  });
});

const user = (user_id: number, full_name: string, rest: object = {}) =>
  [
    user_id,
    { user_id, full_name, is_active: true, is_bot: false, is_system_bot: false, delivery_email: "", ...rest },
  ] as const;
const channel = (stream_id: number, name: string) =>
  [stream_id, { stream_id, name, is_archived: false, description: "" }] as const;
const topics = (channelId: number, ...of: string[]) =>
  [
    channelId,
    new Map(
      of.map((topic, index) => [topic, { conversation: { kind: "topic", channelId, topic }, maxId: 100 - index }]),
    ),
  ] as const;

beforeEach(() => {
  // Emoji are asked for there.
  vi.stubGlobal("location", { origin: "http://127.0.0.1:1" });
  state.value = {
    users: new Map([
      user(1, "Gaël"),
      user(2, "Ada Lovelace"),
      user(3, "ADA lovelace", { is_active: false }),
      user(4, "all"),
      user(5, "old*name"),
      user(6, "Bob #7"),
    ]),
    groups: new Map([
      [17, { id: 17, name: "Équipage", deactivated: false, is_system_group: false }],
      [18, { id: 18, name: "g*roup", deactivated: false, is_system_group: false }],
    ]),
    channels: new Map([
      channel(7, "équipe"),
      channel(8, "star*chan"),
      channel(9, "a>b"),
      channel(10, "design"),
      channel(11, "team #1: x"),
    ]),
    subscriptions: new Map(),
    messages: new Map(),
    realmEmoji: new Map([["1", { id: "1", name: "cafe_au_lait", deactivated: false }]]),
    realm: { server_emoji_data_url: "http://127.0.0.1:1/" },
  } as unknown as State;
  topicsByChannel.value = new Map([
    topics(8, "about **kwargs", "plain"),
    topics(9, "x"),
    topics(10, "about **kwargs", "Fix `foo` crash", "Déjà vu", "at@7", "ok > fine"),
  ]) as never;
});

const texts = (text: string) =>
  suggestionsFor(text, text.length, { kind: "unchosen" }).map((suggestion) => suggestion.text);

describe("completions", () => {
  test.each([
    ["hi @gael", ["@**Gaël** "]],
    ["@_gaël", ["@_**Gaël** "]],
    ["@**ada", ["@**Ada Lovelace|2** "]],
    ["@love", ["@**Ada Lovelace|2** "]],
    ["@al", ["@**all|4** ", "@**all** "]],
    ["@old", ["@**|5** "]],
    ["@Bob #7", ["@**Bob #7** "]],
    ["@equi", ["@*Équipage* "]],
    ["@_*g*r", ["@_*|18* "]],
    ["#equ", ["#**équipe** "]],
    ["(#star*", ["[#star&#x2a;chan](#narrow/channel/8-star.2Achan) "]],
    ["#team #1: x", ["#**team #1: x** "]],
    ["#a>", ["[#a>b](#narrow/channel/9-a.3Eb) "]],
    ["#a>b>", ["[#a>b > x](#narrow/channel/9-a.3Eb/topic/x) "]],
    ["#design>kwargs", ["[#design > about &#x2a;&#x2a;kwargs](#narrow/channel/10-design/topic/about.20.2A.2Akwargs) "]],
    [
      "#**design** >foo",
      ["[#design > Fix &#x60;foo&#x60; crash](#narrow/channel/10-design/topic/Fix.20.60foo.60.20crash) "],
    ],
    ["#Design>deja", ["#**design>Déjà vu** "]],
    ["#design>at@", ["[#design > at@7](#narrow/channel/10-design/topic/at.407) "]],
    ["#design>ok > f", ["#**design>ok > fine** "]],
    [
      "[#star&#x2a;chan](#narrow/channel/8-star.2Achan) >pla",
      ["[#star&#x2a;chan > plain](#narrow/channel/8-star.2Achan/topic/plain) "],
    ],
    [":café", [":cafe_au_lait: "]],
    ["@**Ada Lovelace|2** hello", []],
    ["# heading", []],
    ["mail@gael", []],
  ])("%s", (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });
});
