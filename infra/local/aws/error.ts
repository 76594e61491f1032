/** An error as the SDK's clients throw it: its error classes are recognized by `name` (`instanceof` of the SDK's exceptions). */
export class AwsError extends Error {
  readonly $fault = "client";
  readonly $metadata: { httpStatusCode: number };

  constructor(name: string, message: string, httpStatusCode = 400) {
    super(message);
    this.name = name;
    this.$metadata = { httpStatusCode };
  }
}
