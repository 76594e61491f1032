import type { Section } from "./section.ts";

/** All that `npm run bench` measures, in the documents' order. */
export const sections: readonly Section[] = [];
