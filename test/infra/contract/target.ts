import { test } from "vitest";

/** Where a contract's cases are run: one emulator of AWS, reached by the SDK's own clients. */
export interface ContractTarget {
  endpoint: () => string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  region: string;
  /** Names of cases that this target cannot pass, each with the reason. */
  skip?: Record<string, string>;
  /** How late a schedule may fire here, in milliseconds. */
  scheduleLatenessMs?: number;
}

/** The settings of an SDK client for this target. */
export const clientFor = ({ endpoint, credentials, region }: ContractTarget) => ({
  endpoint: endpoint(),
  credentials,
  region,
  maxAttempts: 1,
});

/** The names of all cases so far. */
export const caseNames = new Set<string>();

/** `test`, but a case that the target's skip list names is skipped with its reason. */
export const caseFor =
  (target: ContractTarget) =>
  (name: string, run: () => Promise<void>, timeoutMs = 5000) => {
    caseNames.add(name);
    const reason = target.skip?.[name];
    test(name, { timeout: timeoutMs }, async (context) => {
      if (reason) context.skip(reason);
      await run();
    });
  };

/** A name that no other case has, so that targets can be shared and reused. */
export const unique = (name: string) => `${name}-${crypto.randomUUID().slice(0, 8)}`;
