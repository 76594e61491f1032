import { expect, test } from "vitest";
import { bumpUsersVersion } from "../../shared/store/organization/organization.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { updateAccount } from "../../shared/store/users/accounts.ts";
import { updateUser } from "../../shared/store/users/users.ts";
import { aChannel, aPerson } from "../support/world.ts";

test("permissions omit deactivated users until they are reactivated", async () => {
  const [puck, bottom] = [await aPerson("Puck"), await aPerson("Bottom")];
  const permission = { direct_members: [puck.id, bottom.id], direct_subgroups: [] };
  const wood = await aChannel("wood", [puck], { permissions: { can_send_message_group: permission } });
  const setActive = (active: boolean) =>
    transact([
      updateAccount(bottom.email, { set: { active } }),
      updateUser(bottom.id, { set: { active } }),
      bumpUsersVersion(),
    ]);
  const shownMemberIds = async () => {
    const shownPermission = (await puck.call("GET", `/streams/${wood.id}`)).body.stream.can_send_message_group;
    const { body } = await puck.call("GET", "/users/me/subscriptions");
    expect(body.subscriptions[0].can_send_message_group).toEqual(shownPermission);
    const { streams } = (await puck.call("GET", "/streams")).body;
    const listed = streams.find(({ stream_id }: { stream_id: number }) => stream_id === wood.id);
    expect(listed.can_send_message_group).toEqual(shownPermission);
    return shownPermission.direct_members;
  };

  await setActive(false);
  expect(await shownMemberIds()).toEqual([puck.id]);
  await setActive(true);
  expect(await shownMemberIds()).toEqual([puck.id, bottom.id]);
});
