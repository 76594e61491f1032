import { recurring } from "../../shared/jobs/recurring.ts";
import { sweepMissed } from "../../shared/missed-mail/send.ts";

export const handler = recurring(
  {
    work: "missed-mail-sweeps",
    rate: "5 minutes",
    serves: ["mail"],
    uses: { table: "read", sends: ["mail"] },
  },
  async () => {
    await sweepMissed();
  },
);
