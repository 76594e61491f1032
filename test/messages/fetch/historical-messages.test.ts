import { expect, test } from "vitest";
import { sendToChannel } from "../../support/messages.ts";
import { aChannel, aPerson } from "../../support/world.ts";

/** The anchor of a reply without unread messages: larger than any message ID. */
const noUnreadAnchor = 1e16;

test("first_unread among starred messages finds one from before the subscription that is marked as unread", async () => {
  const [viola, olivia] = [await aPerson("Viola"), await aPerson("Olivia")];
  const palace = await aChannel("palace", [viola]);
  const id = await sendToChannel(viola, palace, "wind", "the rain it raineth every day");
  const flag = (op: string, name: string) => olivia.call("POST", "/messages/flags", { messages: [id], op, flag: name });
  await olivia.do("POST", "/users/me/subscriptions", { subscriptions: [{ name: palace.name }] });
  await flag("add", "starred");
  await flag("remove", "read");
  const fetchFirstUnread = async (...narrow: [string, unknown][]) => {
    const terms = narrow.map(([operator, operand]) => ({ operator, operand }));
    const params = { anchor: "first_unread", num_before: 5, num_after: 5, narrow: terms };
    const { body } = await olivia.call("GET", "/messages", params);
    return { anchor: body.anchor, flags: body.messages.find((message: { id: number }) => message.id === id)?.flags };
  };

  expect(await fetchFirstUnread(["channel", palace.id], ["is", "starred"])).toEqual({
    anchor: id,
    flags: ["starred", "historical"],
  });
  expect(await fetchFirstUnread(["is", "starred"])).toMatchObject({ anchor: id });
  // Without "starred", only messages since her subscription count as unread in the channel.
  expect(await fetchFirstUnread(["channel", palace.id])).toMatchObject({ anchor: noUnreadAnchor });

  await flag("add", "read");
  expect(await fetchFirstUnread(["channel", palace.id], ["is", "starred"])).toMatchObject({ anchor: noUnreadAnchor });
});
