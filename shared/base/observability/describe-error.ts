/**
 * Describes an unexpected error for the log. An AWS error message may repeat the request and with it users' content, so for
 * AWS errors only the name, the request's ID and the stack trace are kept.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { $metadata } = error as { $metadata?: { requestId?: string } };
  const detail = $metadata ? `(request ${$metadata.requestId ?? "unknown"})` : error.message.slice(0, 300);
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [`${error.name}: ${detail}`, ...frames.slice(0, 12)].join("\n");
}
