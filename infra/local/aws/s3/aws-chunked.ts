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
  const readMore = async () => {
    const { value, done } = await source.next();
    if (done) return false;
    pending = pending.length === 0 ? value : Buffer.concat([pending, value]);
    return true;
  };
  const readLine = async () => {
    let end = pending.indexOf("\r\n");
    while (end < 0) {
      if (pending.length > maxLineBytes || !(await readMore())) throw malformed();
      end = pending.indexOf("\r\n");
    }
    const text = pending.subarray(0, end).toString();
    pending = pending.subarray(end + 2);
    return text;
  };

  for (;;) {
    const size = (await readLine()).split(";")[0] ?? "";
    if (!/^[0-9a-f]{1,8}$/i.test(size)) throw malformed();
    let remainingBytes = Number.parseInt(size, 16);
    if (remainingBytes === 0) break;
    while (remainingBytes > 0) {
      if (pending.length === 0 && !(await readMore())) throw malformed();
      const chunk = pending.subarray(0, remainingBytes);
      pending = pending.subarray(chunk.length);
      remainingBytes -= chunk.length;
      yield chunk;
    }
    if ((await readLine()) !== "") throw malformed();
  }
  // The trailing headers end with an empty line, which some senders leave out.
  while (pending.length > 0 || (await readMore())) {
    const [name = "", value = ""] = (await readLine()).split(/:(.*)/s);
    if (name !== "") trailers.set(name.toLowerCase(), value.trim());
  }
}
