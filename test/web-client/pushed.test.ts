import { expect, test } from "vitest";
import { isPageVisible, needsDisplay, pageToOpenIn, parsePushed } from "../../web/base/lib/pushed.ts";

/** What the service worker does with notifications, without a browser. */

const window = (path: string, { visible = false, focused = false } = {}) => ({
  url: `https://chat.example.com${path}`,
  visibilityState: visible ? "visible" : "hidden",
  focused,
});

test("what the server sends is understood, and nothing else", () => {
  const message = { type: "message", message_id: 7, title: "Puck", content: "Up and down", hash: "#narrow/dm/1,2-dm" };
  const removal = { type: "remove", message_ids: [7, 8] };

  expect(parsePushed(JSON.stringify(message))).toEqual(message);
  expect(parsePushed(JSON.stringify(removal))).toEqual(removal);
  for (const text of ["", "null", "7", "{", '{"type":"message"}', '{"type":"remove"}', '{"type":"test"}'])
    expect([text, parsePushed(text)]).toEqual([text, undefined]);
});

test("only a visible page of the client shows notifications itself", () => {
  expect(isPageVisible([window("/#inbox"), window("/api", { visible: true })])).toBe(false);
  expect(isPageVisible([window("/#inbox", { visible: true })])).toBe(true);
});

test("only Safari shows a notification while a page is visible", () => {
  expect(needsDisplay("https://web.push.apple.com/QGuQyavXutnMH")).toBe(true);
  expect(needsDisplay("https://fcm.googleapis.com/fcm/send/abc")).toBe(false);
  expect(needsDisplay("https://example.com/web.push.apple.com")).toBe(false);
});

test("a notification opens in the focused page, else in any page of the client", () => {
  const [api, first, focused] = [window("/api", { focused: true }), window("/"), window("/#inbox", { focused: true })];

  expect(pageToOpenIn([api, first, focused])).toBe(focused);
  expect(pageToOpenIn([api, first])).toBe(first);
  expect(pageToOpenIn([api])).toBeUndefined();
});
