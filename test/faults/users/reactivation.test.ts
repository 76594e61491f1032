import { expect, test } from "vitest";
import { setActive } from "../../../shared/features/users/activity.ts";
import { deactivatePerson } from "../../../shared/features/users/deactivation.ts";
import { loadRealm } from "../../../shared/services/organization/access.ts";
import { commit } from "../../../shared/store/log/log.ts";
import { findPresence } from "../../../shared/store/users/presence.ts";
import { findUser, type User } from "../../../shared/store/users/users.ts";
import { withFailure } from "../../support/faults.ts";
import { aPerson } from "../../support/world.ts";

/** What others see of somebody's presence has a new update ID, or the client that polls for changes never learns of it. */

test.each(["before", "afterwards"] as const)(
  "whoever is active again is shown with their presence, whichever call fails %s it is made",
  async (when) => {
    const hero = await aPerson("Hero");
    await hero.do("POST", "/users/me/presence", { status: "active" });
    for (let nth = 1; ; nth++) {
      await deactivatePerson((await findUser(hero.id)) as User, await loadRealm(), undefined);
      const before = (await findPresence(hero.id))?.updateId;
      const [user, realm] = [(await findUser(hero.id)) as User, await loadRealm()];

      const { reached } = await withFailure(nth, when, async () =>
        commit(await setActive({ user, active: true, realm })),
      );

      const isActive = (await findUser(hero.id))?.active;
      expect((await findPresence(hero.id))?.updateId !== before).toBe(isActive);
      if (!reached) {
        expect(isActive).toBe(true);
        break;
      }
      if (!isActive) await commit(await setActive({ user, active: true, realm }));
      expect(nth).toBeLessThan(40);
    }
  },
);
