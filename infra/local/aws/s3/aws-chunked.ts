import type { Readable } from "node:stream";
import { AwsError } from "../protocol.ts";

const maxLineBytes = 8192;
const malformed = () => new AwsError("IncompleteBody", "The request body is not well-formed aws-chunked.");

/**
 * Decodes an `aws-chunked` body and puts its trailing headers into `trailers`. The signatures of single chunks are not
 * verified: anyone who could change them within this machine could read the secret key as well.
 */
export async function* decodeChunks(body: Readable, trailers: Map<string, string>): AsyncGenerator<Buffer> {
  const source = body[Symbol.asyncIterator]();
  let pending: Buffer = Buffer.alloc(0);
  const more = async () => {
    const { value, done } = await source.next();
    if (done) return false;
    pending = pending.length === 0 ? value : Buffer.concat([pending, value]);
    return true;
  };
  const line = async () => {
    let end = pending.indexOf("\r\n");
    while (end < 0) {
      if (pending.length > maxLineBytes || !(await more())) throw malformed();
      end = pending.indexOf("\r\n");
    }
    const text = pending.subarray(0, end).toString();
    pending = pending.subarray(end + 2);
    return text;
  };

  for (;;) {
    const size = (await line()).split(";")[0] ?? "";
    if (!/^[0-9a-f]{1,8}$/i.test(size)) throw malformed();
    let left = Number.parseInt(size, 16);
    if (left === 0) break;
    while (left > 0) {
      if (pending.length === 0 && !(await more())) throw malformed();
      const piece = pending.subarray(0, left);
      pending = pending.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
    if ((await line()) !== "") throw malformed();
  }
  // The trailing headers end with an empty line, which some senders leave out.
  while (pending.length > 0 || (await more())) {
    const [name = "", value = ""] = (await line()).split(/:(.*)/s);
    if (name !== "") trailers.set(name.toLowerCase(), value.trim());
  }
}
