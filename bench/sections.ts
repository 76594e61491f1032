import { calls } from "./calls.ts";
import { coldStart } from "./cold-start.ts";
import { followUp } from "./follow-up/section.ts";
import { importCost } from "./import/cost.ts";
import { importSection } from "./import/section.ts";
import { month } from "./month/month.ts";
import { oneMachine } from "./one-machine.ts";
import { overloadSection } from "./overload.ts";
import { peers } from "./peers.ts";
import { searchCosts, searchTimes } from "./search.ts";
import type { Section } from "./section.ts";
import { sidebar } from "./sidebar.ts";
import { soak } from "./soak.ts";
import { start } from "./start.ts";
import { throughput } from "./throughput.ts";
import { connected } from "./waiting/connected.ts";
import { fanOut } from "./waiting/fan-out.ts";
import { latency } from "./waiting/latency.ts";
import { waiting } from "./waiting/waiting.ts";
import { wakeUps } from "./waiting/wake-ups.ts";
import { web } from "./web.ts";

/** All that `npm run bench` measures, in the documents' order. */
export const sections: readonly Section[] = [
  calls,
  followUp,
  searchCosts,
  waiting,
  connected,
  month,
  importCost,
  peers,
  throughput,
  oneMachine,
  searchTimes,
  importSection,
  overloadSection,
  latency,
  wakeUps,
  fanOut,
  web,
  sidebar,
  coldStart,
  start,
  soak,
];
