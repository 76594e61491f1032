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

export interface AwsCall {
  /** The client's class, such as "SQSClient". */
  client: string;
  /** The class of the command that is sent, such as "SendMessageCommand". */
  command: string;
  /** The caller's input. */
  input: Record<string, unknown>;
}

/** What a call resolves to inside the SDK. */
interface AwsResult {
  // biome-ignore lint/suspicious/noExplicitAny: the output of any command.
  output: Record<string, any>;
  /** The HTTP response; observers that return a result of their own may omit it. */
  response?: unknown;
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

/** Attaches the observers to a client. Every AWS SDK client must be created through this. */
export function observed<C extends ObservableClient>(client: C): C {
  const middleware =
    (next: (args: { input: Record<string, unknown> }) => Promise<AwsResult>, context: Record<string, string>) =>
    (args: { input: Record<string, unknown> }) => {
      const call: AwsCall = {
        client: context.clientName ?? "",
        command: context.commandName ?? "",
        input: args.input,
      };
      let proceed = () => next(args);
      for (const observer of observers) {
        const inner = proceed;
        proceed = () => observer(call, inner);
      }
      return proceed();
    };
  client.middlewareStack.add(middleware, { step: "initialize", name: "skeinObservers", override: true });
  return client;
}
