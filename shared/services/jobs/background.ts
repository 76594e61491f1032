import { describeError } from "../../base/observability/describe-error.ts";
import { invocation } from "../../store/table/invocation.ts";

/** Runs work that AWS invokes without waiting for a reply, and throws when it failed so that AWS invokes it again. */
export async function runInBackground(work: string, requestId: string, run: () => Promise<void>): Promise<void> {
  const failure = await invocation(
    async () => {
      try {
        return void (await run());
      } catch (error) {
        console.error(JSON.stringify({ requestId, work, error: describeError(error) }));
        // Lambda writes the thrown error to its output, and an AWS error message could contain users' content.
        return new Error(`${work} failed; the function's output has the error`);
      }
    },
    (failed) => ({ requestId, endpoint: `job ${work}`, status: failed ? 500 : 200 }),
  );
  if (failure) throw failure;
}
