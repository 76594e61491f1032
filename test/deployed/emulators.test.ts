import { inject } from "vitest";
import { queuesContract } from "../infra/contract/queues.contract.ts";
import { schedulesContract } from "../infra/contract/schedules.contract.ts";
import { secretsContract } from "../infra/contract/secrets.contract.ts";
import type { ContractTarget } from "../infra/contract/target.ts";

/** The contracts of the local emulators hold for MiniStack too: what they say is AWS's behaviour and not our own idea. */
const target: ContractTarget = {
  endpoint: () => inject("target").environment.AWS_ENDPOINT_URL!,
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
  region: "us-east-1",
  // MiniStack looks at its schedules every ten seconds.
  scheduleLatenessMs: 11_000,
  skip: {
    "refuses a request that is signed with another key": "MiniStack does not verify signatures.",
    "lists schedules by prefix, a page at a time": "MiniStack gives the first page for every NextToken.",
    "refuses expressions that mean nothing": "MiniStack accepts any text as a schedule's expression.",
    "sends what cannot be delivered to the dead-letter queue": "MiniStack drops what a schedule cannot deliver.",
  },
};

queuesContract(target);
schedulesContract(target);
secretsContract(target);
