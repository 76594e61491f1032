import type { Section } from "./section.ts";
import { throughput } from "./throughput.ts";

/** All that `npm run bench` measures, in the documents' order. */
export const sections: readonly Section[] = [throughput];
