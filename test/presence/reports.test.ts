import fc from "fast-check";
import { expect, test } from "vitest";
import {
  isNewlyOnline,
  minWriteIntervalSeconds,
  newlyOnlineAfterSeconds,
  offlineAfterSeconds,
  reportHoldsSeconds,
  timesAfterPing,
} from "../../shared/core/presence/rules.ts";
import type { Presence } from "../../shared/store/users/presence.ts";

test("somebody whose connected page reports every four minutes is never offline or newly online in between", () => {
  /** A timer of the page may be late by as much. */
  const maxLateSeconds = newlyOnlineAfterSeconds + reportHoldsSeconds - 240 - minWriteIntervalSeconds;
  const late = fc.integer({ min: 0, max: maxLateSeconds });
  // A page that opens a connection again reports at once, which may write nothing.
  const reconnectsAfter = fc.option(fc.integer({ min: 0, max: 240 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(late, reconnectsAfter), { minLength: 1 }), (intervals) => {
      let now = 1_000_000;
      let presence: Presence | undefined;
      const report = () => {
        const times = timesAfterPing(presence, { isActive: true, until: now + reportHoldsSeconds });
        if (!times) return;
        if (presence) expect(isNewlyOnline(presence, times, now)).toBe(false);
        presence = { userId: 1, updateId: now, ...times };
      };
      report();
      for (const [lateSeconds, reconnectSeconds] of intervals) {
        now += reconnectSeconds ?? 0;
        report();
        now += 240 + lateSeconds;
        expect(now - (presence?.lastActive ?? 0)).toBeLessThan(offlineAfterSeconds);
        report();
      }
      expect(maxLateSeconds).toBeGreaterThan(10);
    }),
  );
});
