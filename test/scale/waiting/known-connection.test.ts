import { beforeAll, expect, onTestFinished, test } from "vitest";
import { answerConnectionCalls } from "../../../infra/local/connection-calls.ts";
import { notifyWaiters } from "../../../shared/events/notify-waiters.ts";
import { entriesBetween } from "../../../shared/events/position.ts";
import { withTrace } from "../../../shared/observability/trace.ts";
import { readHead } from "../../../shared/store/log/log.ts";
import { withRequestScope } from "../../../shared/store/table/recent-writes.ts";
import { connectQueue } from "../../support/connection.ts";
import { aPrivateHost } from "../../support/hosts/private-host.ts";
import { sendDirect } from "../../support/messages.ts";
import { useTarget } from "../../support/target.ts";
import { aPerson, isLocal } from "../../support/world.ts";

/** What a post costs a process that has posted to the connection before: the function runs in the test's own process. */

const posts: { connectionId: string; message: any }[] = [];
beforeAll(() =>
  answerConnectionCalls({
    post: (connectionId, data) => {
      posts.push({ connectionId, message: JSON.parse(data.toString()) });
      return 200;
    },
    end: () => true,
  }),
);

test.skipIf(!isLocal())(
  "a connection that the process knows is posted to in fewer stages, for the same units (local host only)",
  async () => {
    const host = await aPrivateHost();
    onTestFinished(() => host.stop());
    useTarget(host);
    Object.assign(process.env, host.environment);
    const [orlando, adam] = await Promise.all([aPerson("Orlando"), aPerson("Adam")]);
    const queue = await adam.do("POST", "/register", { event_types: ["message"], fetch_event_types: [] });
    const connection = await connectQueue(adam, queue);
    let sequence = (await readHead()).event;
    const costOf = async (content: string) => {
      await sendDirect(orlando, [adam], content);
      const { event } = await readHead();
      const entries = await entriesBetween(sequence, event);
      sequence = event;
      return (await withTrace(() => withRequestScope(() => notifyWaiters(entries)))).trace;
    };

    const first = await costOf("Dear master");
    const costs = [
      await costOf("I can go no further"),
      await costOf("O, I die for food"),
      await costOf("Here lie I down"),
    ];

    expect(Math.min(...costs.map(({ stages }) => stages))).toBe(1);
    expect(Math.max(...costs.map(({ readUnits }) => readUnits))).toBeLessThanOrEqual(first.readUnits);
    const received = posts.flatMap(({ message }) => message.events.map(({ message: { content } }: any) => content));
    expect(received).toEqual(["Dear master", "I can go no further", "O, I die for food", "Here lie I down"]);
    connection.close();
  },
);
