import { ringBells } from "../../shared/events/bells.ts";
import { logFollower } from "../../shared/jobs/log-follower.ts";

export const handler = logFollower({ waiting: "bell", uses: { table: "read", bells: "ring" } }, ringBells);
