import { runVitest } from "./run.ts";

/**
 * `npm run test:lag`: runs the tests of each resource on hosts whose reads lag, and then the random models with random lags.
 * `LAG_INDEX_MS` and `LAG_BASE_MS` set the lags of the first run in milliseconds: of reads of an index, and of eventually
 * consistent reads of the table.
 */

const { LAG_INDEX_MS = "500", LAG_BASE_MS = "100" } = process.env;
const runs = [
  { config: "test/vitest.lag.config.ts", lags: { LAG_INDEX_MS, LAG_BASE_MS } },
  {
    config: "test/vitest.lag-models.config.ts",
    lags: { LAG_INDEX_MS: "0-2000", LAG_BASE_MS: "0-2000", SKEIN_MODEL_RUNS: process.env.SKEIN_MODEL_RUNS ?? "2" },
  },
];

for (const { config, lags } of runs) {
  const status = await runVitest([`--config=${config}`, ...process.argv.slice(2)], { ...process.env, ...lags });
  if (status !== 0) process.exit(status);
}
