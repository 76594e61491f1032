import { provideHost } from "../../shared/base/host.ts";
import { writeRequestRecords } from "../../shared/base/observability/trace.ts";
import "./table/process-table.ts";

/** What a process of the tests or the bench needs before it calls Skein's own code. */

const memories = new Map<string, WeakMap<object, object>>();

// Keeps caches separate for each table: several are used from one process, selected by the environment at each call.
provideHost({
  memory: () => {
    const table = `${process.env.SKEIN_TABLE_FILE} ${process.env.AWS_ENDPOINT_URL_DYNAMODB} ${process.env.TABLE_NAME}`;
    const memory = memories.get(table) ?? new WeakMap();
    memories.set(table, memory);
    return memory;
  },
});

// Discards the line that a Lambda function writes for each request.
writeRequestRecords(() => {});
