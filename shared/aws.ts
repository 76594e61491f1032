/** What is common to all AWS clients: the extension point through which a host observes their calls. */

/** The part of an SDK client that an observer needs. */
export interface ObservableClient {
  middlewareStack: {
    add(middleware: unknown, options: { step: "initialize"; name: string; override: true }): void;
  };
}

/** One call that a client is about to make, as the SDK's middleware context names it. */
export interface AwsCall {
  /** For example "DynamoDBClient". */
  client: string;
  /** For example "PutItemCommand". */
  command: string;
  input: Record<string, unknown>;
}

type Observer = (call: AwsCall, proceed: () => Promise<unknown>) => Promise<unknown>;

const observers: Observer[] = [];

/**
 * Lets `observer` see, measure or refuse each call of each client that is made from now on, before those see it that were
 * there already; `nearest`: after them, as it travels. Returns how to end that.
 */
export function observeAwsCalls(observer: Observer, { nearest = false } = {}): () => void {
  if (nearest) observers.unshift(observer);
  else observers.push(observer);
  return () => {
    observers.splice(observers.indexOf(observer), 1);
  };
}

/** Returns `client` with the observers attached; every client of the fleet passes through here when it is made. */
export function observed<C extends ObservableClient>(client: C): C {
  const middleware =
    (next: (args: { input: Record<string, unknown> }) => Promise<unknown>, context: Record<string, string>) =>
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
