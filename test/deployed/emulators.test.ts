import { CreateEmailIdentityCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import { beforeAll, expect, test } from "vitest";
import { filesContract } from "../infra/contract/files.contract.ts";
import { mailContract } from "../infra/contract/mail.contract.ts";
import { queuesContract } from "../infra/contract/queues.contract.ts";
import { schedulesContract } from "../infra/contract/schedules.contract.ts";
import { type ContractTarget, caseNames, clientFor } from "../infra/contract/target.ts";
import { target } from "../support/target.ts";

/**
 * Runs the contracts of the local host's services against MiniStack too, which shows that they describe AWS rather than our own
 * code.
 */
const emulators: ContractTarget = {
  endpoint: () => target().environment.AWS_ENDPOINT_URL!,
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
  region: "us-east-1",
  // MiniStack checks its schedules every second, as patched.
  scheduleLatenessMs: 3_000,
  skip: {
    "refuses header injection": "MiniStack refuses it too, but by failing with a 500.",
    "refuses invalid expressions": "MiniStack accepts any text as a schedule's expression.",
    "sends undeliverable input to the dead-letter queue": "MiniStack drops what a schedule cannot deliver.",
  },
};

beforeAll(async () => {
  const ses = new SESv2Client(clientFor(emulators));
  await ses.send(new CreateEmailIdentityCommand({ EmailIdentity: "skein@acme.test" }));
  ses.destroy();
});

queuesContract(emulators);
schedulesContract(emulators);
filesContract(emulators);
mailContract(emulators);

test("each skipped case exists", () => {
  expect([...caseNames]).toEqual(expect.arrayContaining(Object.keys(emulators.skip ?? {})));
});
