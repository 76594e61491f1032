import { test } from "vitest";

/** The emulator of AWS against which a contract's cases run; it is reached by the SDK's clients. */
export interface ContractTarget {
  endpoint: () => string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  region: string;
  /** Names of cases that this target cannot pass, each with the reason. */
  skip?: Record<string, string>;
  /** The maximum delay of a schedule in this emulator, in milliseconds. */
  scheduleLatenessMs?: number;
}

/** The settings of an SDK client for this target. */
export const clientFor = ({ endpoint, credentials, region }: ContractTarget) => ({
  endpoint: endpoint(),
  credentials,
  region,
  maxAttempts: 1,
});

/** The names of all cases that contracts have declared. */
export const caseNames = new Set<string>();

/** Like `test`, but a case in the target's skip list is skipped with its reason. */
export const caseFor =
  (target: ContractTarget) =>
  (name: string, run: () => Promise<void>, timeoutMs = 30_000) => {
    caseNames.add(name);
    const reason = target.skip?.[name];
    test(name, { timeout: timeoutMs }, async (context) => {
      if (reason) context.skip(reason);
      await run();
    });
  };

/** A unique name, so that targets can be shared and reused. */
export const unique = (name: string) => `${name}-${crypto.randomUUID().slice(0, 8)}`;
