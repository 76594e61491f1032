import { recurring } from "../../shared/services/jobs/recurring.ts";

/**
 * Checks, writes and gives up an import that an owner asks for in the page, and deletes what is left of it. Those who ask start it at
 * once; its schedule goes on with one whose function died.
 */
export const handler = recurring(
  {
    work: "imports",
    rate: "1 hour",
    timeoutSeconds: 900,
    memoryMb: 3008,
    temporaryMb: 10_240,
    uses: {
      table: "readWrite",
      files: "readWrite",
      readsWholeTable: true,
      listsFiles: true,
      secret: true,
      starts: ["imports"],
    },
  },
  // Loaded on demand: an hourly run finds nothing to do, and a host starts without the code of imports.
  async () => (await import("../../shared/features/import/requests/run.ts")).runImport(),
);
