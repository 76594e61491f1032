import { expect, test } from "vitest";
import { mutedUsersState } from "../../shared/muted-users/muted-users.ts";
import { listMuterIds } from "../../shared/store/users/muted-users.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aPerson } from "../support/world.ts";

const refused = (msg: string) => ({ status: 400, body: { code: "BAD_REQUEST", msg } });

test("muting and unmuting a user changes the list, with events that contain the whole list", async () => {
  const [iago, othello, cassio] = [await aPerson("Iago"), await aPerson("Othello"), await aPerson("Cassio")];
  const end = await logEnd();

  expect((await othello.call("POST", `/users/me/muted_users/${iago.id}`)).body).toEqual({ result: "success", msg: "" });
  await othello.do("POST", `/users/me/muted_users/${cassio.id}`);
  const mutedBefore = (await mutedUsersState(othello as never)).muted_users;
  expect(await listMuterIds(iago.id)).toEqual([othello.id]);
  expect((await othello.call("DELETE", `/users/me/muted_users/${iago.id}`)).status).toBe(200);

  const timestamp = expect.any(Number);
  expect(mutedBefore).toEqual([iago, cassio].map(({ id }) => ({ id, timestamp })));
  expect((await mutedUsersState(othello as never)).muted_users).toEqual([{ id: cassio.id, timestamp }]);
  expect(await listMuterIds(iago.id)).toEqual([]);
  const events = (await eventsAfter(end, "muted_users", () => true)).filter(
    ({ audience }) => audience.kind === "users" && audience.userIds[0] === othello.id,
  );
  expect(events.map(({ event }) => (event.muted_users as { id: number }[]).map(({ id }) => id))).toEqual([
    [iago.id],
    [iago.id, cassio.id],
    [cassio.id],
  ]);
});

test("muting oneself, an unknown user or a muted user returns 400, and so does unmuting a user who is not muted", async () => {
  const [iago, othello] = [await aPerson("Iago"), await aPerson("Othello")];
  const path = `/users/me/muted_users/${iago.id}`;

  expect(await othello.call("POST", `/users/me/muted_users/${othello.id}`)).toMatchObject(refused("Cannot mute self"));
  expect(await othello.call("POST", "/users/me/muted_users/99999999")).toMatchObject(refused("No such user"));
  expect(await othello.call("DELETE", path)).toMatchObject(refused("User is not muted"));
  await othello.do("POST", path);
  expect(await othello.call("POST", path)).toMatchObject(refused("User already muted"));
});
