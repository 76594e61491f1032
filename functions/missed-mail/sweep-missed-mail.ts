import { worker } from "../../shared/jobs/worker.ts";
import { sweepMissedJob } from "../../shared/missed-mail/jobs.ts";
import { sweepMissed } from "../../shared/missed-mail/send.ts";

export const handler = worker(
  {
    job: sweepMissedJob,
    attempts: 3,
    recurring: { rate: "5 minutes", body: {} },
    uses: { table: "read", sends: ["missed-mail"] },
  },
  () => sweepMissed(),
);
