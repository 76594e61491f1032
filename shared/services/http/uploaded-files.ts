import type { HttpRequest, ReceivedFile } from "./event.ts";
import { multipartForm } from "./read-params.ts";

interface UploadedFile {
  /** Chosen by the client, and not validated. */
  name: string;
  content: Buffer;
}

/** The files of a multipart request, whatever the names of their parts; none for another content type. */
export async function uploadedFiles(request: HttpRequest): Promise<UploadedFile[]> {
  const type = request.headers["content-type"] ?? "";
  if (!/^multipart\/form-data/i.test(type)) return [];
  const form = await multipartForm(request.body(), type);
  const files = [...form.values()].filter((value) => typeof value !== "string");
  return Promise.all(files.map(async (file) => ({ name: file.name, content: Buffer.from(await file.arrayBuffer()) })));
}

/** The files of a multipart request, whether the host has read them while they arrived or they are in the request. */
export const receivedFiles = async (request: HttpRequest): Promise<readonly ReceivedFile[]> =>
  request.files ?? (await uploadedFiles(request)).map(fileInMemory);

export const fileInMemory = ({ name, content }: { name: string; content: Uint8Array }): ReceivedFile => ({
  name,
  size: content.length,
  read: async (start, end) => content.subarray(start, end),
});
