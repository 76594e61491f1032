import type { IncomingMessage } from "node:http";
import { currentHost } from "../../../shared/base/host.ts";
import type { HttpEvent } from "../../../shared/services/http/event.ts";
import { FormTooLarge, MalformedForm, readStreamedForm, type StreamedForm } from "./streamed-form.ts";

/** Forms with files that are too large for memory, of endpoints that declare `streamsFile`. */

/** How long a client has to send a form with a file, and how long it may send nothing meanwhile. */
export const formTimeoutMs = 1_800_000;
const formPauseMs = 60_000;

/** The maximum form: a file, and a little around it. */
export const maxFormBytes = () => currentHost().maxUploadBytes + 64 * 1024;

export const isMultipart = ({ headers }: IncomingMessage) =>
  /^multipart\/form-data/i.test(headers["content-type"] ?? "");

/** Reads a form while it arrives. The client has half an hour, but must not pause for a minute. */
export async function readForm(
  request: IncomingMessage,
  folder: string,
): Promise<StreamedForm | "too large" | "malformed"> {
  const contentType = request.headers["content-type"] ?? "";
  try {
    return await readStreamedForm(chunksOf(request), { contentType, folder, maxBytes: maxFormBytes() });
  } catch (error) {
    if (error instanceof FormTooLarge) return "too large";
    if (error instanceof MalformedForm) return "malformed";
    throw error;
  }
}

/** The body's chunks; a client that pauses for too long is cut off. A refusal can still be sent to one that is not read to its end. */
async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer, undefined> {
  const timer = setTimeout(() => request.destroy(), formPauseMs);
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      timer.refresh();
      yield chunk;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The event of a form that was read while it arrived: its text fields are the body, as another form has them. */
export const formEvent = ({ headers }: HttpEvent, { fields, files }: StreamedForm): Partial<HttpEvent> => ({
  headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(fields).toString(),
  isBase64Encoded: false,
  files,
});
