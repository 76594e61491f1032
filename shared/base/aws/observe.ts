import type { AwsCall, AwsResult } from "../aws-calls.ts";
import { currentHost } from "../host.ts";

/**
 * Every AWS SDK client but the table's, whose calls are observed at its port (table/observe.ts), has a middleware through which the trace, the local host and tests observe its calls. It runs in the
 * first step of the stack ("initialize", see the SDK's documentation of `middlewareStack.add`), outside of retries, so that an
 * observer sees a call once, however often it is retried.
 */

/** The part of an SDK client that `observed` needs. */
interface ObservableClient {
  middlewareStack: {
    add(middleware: unknown, options: { step: "initialize"; name: string; override: true }): void;
  };
}

/**
 * A function that wraps each call. It returns the result of `proceed`, throws to make the call fail, or returns a result of its
 * own. `proceed` sends the call's input and may be called more than once.
 */
type AwsObserver = (call: AwsCall, proceed: () => Promise<AwsResult>) => Promise<AwsResult>;

const observers = new Set<AwsObserver>();

/**
 * Lets `observer` see, change or refuse every call from now on. The newest observer is called first, and its `proceed` calls
 * the earlier ones. Returns a function that removes the observer; calling it again does nothing.
 */
export function observeAwsCalls(observer: AwsObserver): () => void {
  observers.add(observer);
  return () => void observers.delete(observer);
}

/** Makes a call by `proceed`, seen by the observers. */
export function observe(call: AwsCall, proceed: () => Promise<AwsResult>): Promise<AwsResult> {
  let outer = proceed;
  for (const observer of observers) {
    const inner = outer;
    outer = () => observer(call, inner);
  }
  return outer();
}

/** Attaches the observers, and the host's own services, to a client. Every AWS SDK client must be created through this. */
export function observed<C extends ObservableClient>(client: C): C {
  const middleware =
    (next: (args: { input: Record<string, unknown> }) => Promise<AwsResult>, context: Record<string, string>) =>
    (args: { input: Record<string, unknown> }) => {
      const call = { client: context.clientName ?? "", command: context.commandName ?? "", input: args.input };
      return observe(call, () => currentHost().aws()?.(call) ?? next(args));
    };
  client.middlewareStack.add(middleware, { step: "initialize", name: "skeinObservers", override: true });
  return client;
}
