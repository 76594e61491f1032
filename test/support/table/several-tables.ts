import { provideHost } from "../../../shared/host.ts";

/**
 * Tests and the bench reach several tables from one process, one after the other, by the environment at each call. What
 * the process remembers of one is never taken for another's.
 */

const memories = new Map<string, WeakMap<object, object>>();

provideHost({
  memory: () => {
    const table = `${process.env.AWS_ENDPOINT_URL_DYNAMODB} ${process.env.TABLE_NAME}`;
    const memory = memories.get(table) ?? new WeakMap();
    memories.set(table, memory);
    return memory;
  },
});
