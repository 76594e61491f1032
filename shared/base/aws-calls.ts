/** A call of an AWS SDK client. */
export interface AwsCall {
  /** The client's class, such as "SQSClient". */
  client: string;
  /** The class of the command that is sent, such as "SendMessageCommand". */
  command: string;
  /** The caller's input. */
  input: Record<string, unknown>;
  /** Asks for a link by which anyone can make the call for this long, as `link` in the output. Default: makes the call. */
  linkSeconds?: number;
  /** Aborts when the caller has gone, and must not receive any messages. */
  disconnected?: AbortSignal;
}

/** What a call resolves to inside the SDK. */
export interface AwsResult {
  // biome-ignore lint/suspicious/noExplicitAny: the output of any command.
  output: Record<string, any>;
  /** The HTTP response; observers that return a result of their own may omit it. */
  response?: unknown;
}

/** Answers calls in place of AWS; undefined for those of services that it does not have. */
export type AwsServices = (call: AwsCall) => Promise<AwsResult> | undefined;
