import { expect, test } from "vitest";
import { sendToChannel } from "../../support/messages.ts";
import { aChannel, aPerson } from "../../support/world.ts";

test("a starred message from before the subscription that is marked as unread is the first unread of the starred ones", async () => {
  const [viola, olivia] = [await aPerson("Viola"), await aPerson("Olivia")];
  const palace = await aChannel("palace", [viola]);
  const id = await sendToChannel(viola, palace, "wind", "the rain it raineth every day");
  const flag = (op: string, name: string) => olivia.call("POST", "/messages/flags", { messages: [id], op, flag: name });
  await olivia.call("POST", "/users/me/subscriptions", { subscriptions: [{ name: palace.name }] });
  await flag("add", "starred");
  await flag("remove", "read");
  const first = async (...narrow: [string, unknown][]) => {
    const terms = narrow.map(([operator, operand]) => ({ operator, operand }));
    const params = { anchor: "first_unread", num_before: 5, num_after: 5, narrow: terms };
    const { body } = await olivia.call("GET", "/messages", params);
    return { anchor: body.anchor, flags: body.messages.find((message: { id: number }) => message.id === id)?.flags };
  };

  expect(await first(["channel", palace.id], ["is", "starred"])).toEqual({
    anchor: id,
    flags: ["starred", "historical"],
  });
  expect(await first(["is", "starred"])).toMatchObject({ anchor: id });
  // Her unread messages in the channel start with her subscription.
  expect(await first(["channel", palace.id])).toMatchObject({ anchor: 1e16 });

  await flag("add", "read");
  expect(await first(["channel", palace.id], ["is", "starred"])).toMatchObject({ anchor: 1e16 });
});
