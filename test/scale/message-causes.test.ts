import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  type Caused,
  converse,
  createTeam,
  keepJobs,
  subscribers,
  type Team,
} from "../../bench/follow-up/conversation.ts";
import { costOfMessage } from "../../bench/follow-up/price.ts";
import { advanceClock } from "../../bench/host/bench-clock.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { reportsCosts } from "../support/world.ts";

/**
 * The budgets of all that a message causes, in a team of which half waits for events and half is away, follows the topic and is
 * mailed about it (docs/cost.md, "What a message causes"). This process does the work of all functions.
 */

vi.setConfig({ testTimeout: 300_000 });

/** Longer than a written item counts as recent. */
const quietSeconds = 40;

describe.skipIf(!reportsCosts())("all that a message causes (where costs are reported)", () => {
  let host: PrivateHost;

  beforeAll(async () => {
    host = await aPrivateHost();
    Object.assign(process.env, host.environment);
    await keepJobs();
  });
  afterAll(() => host?.stop());

  /** A team whose topic exists and whose profiles this process has read, as a function does that has run before. */
  async function aTeam(people: number): Promise<Team> {
    const team = await createTeam(people);
    await converse(team, 1);
    advanceClock(quietSeconds);
    return team;
  }

  /** The calls and units of the subscribers together. */
  const usedBySubscribers = ({ work }: Caused) => {
    const used = subscribers.flatMap(({ name }) => work[name] ?? []);
    expect(used).toHaveLength(subscribers.length);
    const sum = (figure: "tableCalls" | "writeUnits") => used.reduce((total, usage) => total + usage[figure], 0);
    return { tableCalls: sum("tableCalls"), writeUnits: sum("writeUnits") };
  };

  test("in a busy topic of a team of 50, a message costs at most 14 write units and 12 read units with all that follows", async () => {
    const caused = await converse(await aTeam(50), 100, { perStep: 4 });

    const { total } = costOfMessage(caused);
    expect(caused.wakeUps).toBe(25 * 100);
    expect(caused.work["send-mail"]?.runs).toBe(25);
    expect(total.writeUnits).toBeLessThanOrEqual(14);
    expect(total.readUnits).toBeLessThanOrEqual(12);
  });

  test("in a busy topic of a team of 10, a message costs at most $0.000014 with all that follows, without the clients' polls", async () => {
    const caused = await converse(await aTeam(10), 100, { perStep: 4 });

    expect(caused.work["send-mail"]?.runs).toBe(5);
    expect(costOfMessage(caused).total.dollars).toBeLessThanOrEqual(0.000014);
  });

  test("the log's subscribers work on batches: a hundred messages cost few more calls and writes than one", async () => {
    const team = await aTeam(50);
    const used = [];
    for (const messages of [1, 10, 100]) {
      used.push(usedBySubscribers(await converse(team, messages)));
      advanceClock(quietSeconds);
    }

    const [one, ten, hundred] = used as [(typeof used)[0], (typeof used)[0], (typeof used)[0]];
    for (const many of [ten, hundred]) {
      // Merging segments of the search index takes some now and then.
      expect(many.tableCalls).toBeLessThanOrEqual(one.tableCalls + 20);
      expect(many.writeUnits).toBeLessThanOrEqual(one.writeUnits + 20);
    }
  });
});
