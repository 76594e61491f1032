import { expect, test } from "vitest";
import { fullMembers } from "../../shared/base/schema/system-groups.ts";
import { commit } from "../../shared/store/log/log.ts";
import { bumpUsersVersion } from "../../shared/store/organization/organization.ts";
import { updateAccount } from "../../shared/store/users/accounts.ts";
import { updateUser } from "../../shared/store/users/users.ts";
import { aboutChannel, listen } from "../support/listener.ts";
import { scheduleNow } from "../support/table/recurring.ts";
import { aChannel, aPerson } from "../support/world.ts";

test("at the end of a waiting period, everybody sees a full member, who sees what is open to full members", async () => {
  const [duke, trinculo] = await Promise.all([aPerson("Duke", { role: "owner" }), aPerson("Trinculo")]);
  const cell = await aChannel("cell", [duke], { inviteOnly: true, permissions: { can_subscribe_group: fullMembers } });
  await duke.do("PATCH", "/realm", { waiting_period_threshold: 3 });
  const event_types = ["user_group", "stream"];
  const [dukes, trinculos, channels] = await Promise.all([
    listen(duke, { event_types }),
    listen(trinculo, { event_types }),
    listen(trinculo, { event_types: ["stream"] }, aboutChannel(cell)),
  ]);
  const joinedAt = Math.floor(Date.now() / 1000) - 3 * 86_400 - 60;
  const change = { set: { joinedAt } };
  const account = updateAccount(trinculo.email, change, { userId: trinculo.id });
  await commit({ writes: [updateUser(trinculo.id, change), account, bumpUsersVersion()] });

  await scheduleNow("waiting-period-sweeps");

  const added = { op: "add_members", group_id: fullMembers, user_ids: [trinculo.id] };
  expect(await dukes.next("user_group")).toEqual({ type: "user_group", id: expect.any(Number), ...added });
  expect(await trinculos.next("user_group")).toMatchObject(added);
  expect(await channels.next("stream")).toMatchObject({
    op: "create",
    // Other tests may have left channels of this kind.
    streams: expect.arrayContaining([expect.objectContaining({ stream_id: cell.id })]),
  });
  await duke.do("PATCH", "/realm", { waiting_period_threshold: 0 });
});
