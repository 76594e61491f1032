import { request as httpRequest } from "node:http";
import type { CallOptions, Reply } from "./http.ts";
import { send } from "./http.ts";
import type { Person } from "./world.ts";

/** Uploads and fetches files. */

export interface Part {
  name?: string;
  filename?: string;
  content: string | Buffer;
}

const boundary = "----skein-test-boundary";

/** A multipart body as browsers send it; names are not escaped. */
export function multipart(parts: readonly Part[]): Pick<CallOptions, "body" | "headers"> {
  const pieces = parts.flatMap(({ name = "file", filename, content }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n` +
        `${filename === undefined ? "" : "Content-Type: text/html\r\n"}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from("\r\n"),
  ]);
  return {
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}

const credentialsOf = ({ email, apiKey }: Person) => ({ credentials: { email, apiKey } });

export const sendFile = (person: Person, filename: string, content: string | Buffer): Promise<Reply> =>
  person.call("POST", "/user_uploads", {}, { ...credentialsOf(person), ...multipart([{ filename, content }]) });

/** Uploads a file and returns its URL. */
export async function upload(
  person: Person,
  filename = "text.txt",
  content: string | Buffer = "text",
): Promise<string> {
  const { status, body } = await sendFile(person, filename, content);
  if (status !== 200) throw new Error(body.msg);
  return body.url;
}

/** Fetches a path outside the API, as a browser does. */
export const fetchFile = (
  person: Person | undefined,
  url: string,
  headers: Record<string, string> = {},
): Promise<Reply> => send("GET", encodeURI(url), undefined, { ...(person && credentialsOf(person)), headers });

/** Uploads bytes to a URL with exactly these headers. */
export const put = (url: string, headers: Record<string, string>, content: Buffer): Promise<number> =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, { method: "PUT", headers }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
    outgoing.once("error", reject);
    outgoing.end(content);
  });

export const attachmentsOf = async (person: Person): Promise<any[]> =>
  (await person.call("GET", "/attachments")).body.attachments;

/** A picture of one pixel. */
export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
