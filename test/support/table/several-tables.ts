import { provideHost } from "../../../shared/host.ts";

/**
 * Keeps caches separate for each table: tests and the bench use several tables from one process, selected by the
 * environment at each call.
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
