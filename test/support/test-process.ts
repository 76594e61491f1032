import { provideHost } from "../../shared/base/host.ts";
import { writeRequestRecords } from "../../shared/base/observability/trace.ts";
import "./table/process-table.ts";

/** What a process of the tests or the bench needs before it calls Skein's own code. */

const memories = new Map<string, WeakMap<object, object>>();

const tableOfProcess = () =>
  `${process.env.SKEIN_TABLE_FILE} ${process.env.AWS_ENDPOINT_URL_DYNAMODB} ${process.env.TABLE_NAME}`;

// Keeps caches separate for each table: several are used from one process, selected by the environment at each call.
provideHost({
  memory: () => {
    const memory = memories.get(tableOfProcess()) ?? new WeakMap();
    memories.set(tableOfProcess(), memory);
    return memory;
  },
});

/** Empties all caches of the process, as in a new one. */
export const forgetCaches = (): void => void memories.delete(tableOfProcess());

// Discards the line that a Lambda function writes for each request.
writeRequestRecords(() => {});
