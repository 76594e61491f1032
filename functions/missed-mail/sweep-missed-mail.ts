import { sweepMissed } from "../../shared/messaging/missed-mail/send.ts";
import { recurring } from "../../shared/services/jobs/recurring.ts";

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
