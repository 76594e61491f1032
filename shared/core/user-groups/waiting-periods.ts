import { batchesOf } from "../../base/batches.ts";
import { roles } from "../../base/schema/roles.ts";
import { fullMembers } from "../../base/schema/system-groups.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import { commit } from "../../store/log/log.ts";
import { findToldEnds, setToldEnds } from "../../store/organization/waiting-periods.ts";
import { succeeds } from "../../store/table/conflicts.ts";
import { listUsers } from "../../store/users/users.ts";

const usersPerEvent = 1000;
/** How far the first run after a change of the period looks back: longer than from one run to the next. */
const firstLookSeconds = 2 * 3600;

/**
 * Tells clients of the members whose waiting period ended since the last run. The permission itself needs no run: it is evaluated
 * by the clock. Costs half a read unit in an organization without a waiting period, else a read of all users.
 */
export async function tellEndsOfWaitingPeriods(): Promise<void> {
  const days = (await loadRealm()).settings.waiting_period_threshold;
  if (days === 0) return;
  const [told, users] = await Promise.all([findToldEnds(), listUsers()]);
  const until = nowSeconds();
  // Who became a full member by a change of the period is in that change's event.
  const since = told?.days === days ? told.until : until - firstLookSeconds;
  const hasJustWaited = (joinedAt: number) => {
    const end = joinedAt + days * secondsPerDay;
    return end > since && end <= until;
  };
  const ids = users
    .filter(({ active, role, joinedAt }) => active && role === roles.member && hasJustWaited(joinedAt))
    .map(({ id }) => id);
  // What was told last stays the beginning of the next look.
  if (ids.length === 0 && told?.days === days) return;
  const events = [...batchesOf(ids, usersPerEvent)].map((user_ids) =>
    eventForEveryone({ type: "user_group", op: "add_members", group_id: fullMembers, user_ids, waited_days: days }),
  );
  // Another run at the same moment may have told them.
  await succeeds(commit({ writes: [setToldEnds(told, { until, days })], events }));
}
