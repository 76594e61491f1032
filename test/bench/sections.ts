import { latency } from "./latency.ts";
import type { Section } from "./section.ts";
import { throughput } from "./throughput.ts";
import { waiting } from "./waiting.ts";

/** All that `npm run bench` measures, in the documents' order. */
export const sections: readonly Section[] = [throughput, waiting, latency];
