/**
 * An unexpected error as the log may carry it: what kind it was and where it came from. What AWS answers can repeat the
 * request, and with it what people wrote; of that only the name and the request's ID are kept.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { $metadata } = error as { $metadata?: { requestId?: string } };
  const what = $metadata ? `(request ${$metadata.requestId ?? "unknown"})` : error.message.slice(0, 300);
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [`${error.name}: ${what}`, ...frames.slice(0, 12)].join("\n");
}
