/** DynamoDB sorts strings by their UTF-8 bytes. */
export const compareBytes = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
