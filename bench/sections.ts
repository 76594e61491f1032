import { calls } from "./calls.ts";
import { coldStart } from "./cold-start.ts";
import { comparison } from "./comparison.ts";
import { latency } from "./latency.ts";
import { month } from "./month.ts";
import type { Section } from "./section.ts";
import { soak } from "./soak.ts";
import { start } from "./start.ts";
import { throughput } from "./throughput.ts";
import { waiting } from "./waiting.ts";
import { web } from "./web.ts";

/** All that `npm run bench` measures, in the documents' order. */
export const sections: readonly Section[] = [
  calls,
  waiting,
  month,
  throughput,
  comparison,
  latency,
  web,
  coldStart,
  start,
  soak,
];
