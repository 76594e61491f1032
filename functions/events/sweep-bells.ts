import { sweepBells } from "../../shared/events/bells.ts";
import { recurring } from "../../shared/jobs/recurring.ts";

/** Event queues expire by themselves; their bells do not. */
export const handler = recurring(
  {
    work: "bell-sweeps",
    rate: "5 minutes",
    waiting: "bell",
    uses: { table: "readWrite", bells: "remove" },
  },
  sweepBells,
);
