import { plain } from "../../../shared/core/markdown/source/plain.ts";
import { ApiFailure, authorizationOf, type Credentials, isInvalidKeyError } from "../../base/api/client.ts";
import { t } from "../../base/languages/language.ts";
import { afterRefusal } from "../lifetime.ts";
import { call, credentials, sessionEnd } from "../session.ts";

/** Larger files go to the bucket. Below the server's limit for files in a request (`maxLambdaFileBytes`). */
const maxBytesInRequest = 4 * 1024 * 1024;

/**
 * Uploads a file and returns Markdown that links to it; large files go directly to the bucket by a presigned link.
 * `onProgress` gets the uploaded fraction, 0 to 1.
 */
export async function uploadFile(
  file: File,
  onProgress: (fraction: number) => void,
  cancelled: AbortSignal,
): Promise<string> {
  const signal = AbortSignal.any([cancelled, sessionEnd()]);
  const name = plain(file.name) || "file";
  if (file.size <= maxBytesInRequest) {
    const form = new FormData();
    form.set("file", file, file.name);
    const { url } = await post<{ url: string }>("/api/v1/user_uploads", form, onProgress, signal);
    return `[${name}](${url})`;
  }
  const offer = await call("POST /user_uploads/presigned", { filename: file.name, size: file.size });
  await transfer("PUT", offer.upload_url, offer.upload_headers, file, onProgress, signal);
  const { url } = await call("POST /user_uploads/presigned/complete", { upload_id: offer.upload_id });
  return `[${name}](${url})`;
}

/** Sends a request and reports its progress. Uses XMLHttpRequest, because `fetch` does not report upload progress. */
function transfer<T>(
  method: "POST" | "PUT",
  url: string,
  headers: Record<string, string>,
  body: XMLHttpRequestBodyInit,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const reply = JSON.parse(request.responseText || "{}");
      if (request.status < 300) resolve(reply);
      else reject(new ApiFailure(reply.code ?? "UNKNOWN", reply.msg ?? t("The upload failed."), request.status));
    };
    request.onerror = () => reject(new ApiFailure("NETWORK", t("The upload was interrupted.")));
    request.onabort = () => reject(new DOMException("Cancelled", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

async function post<T>(path: string, form: FormData, onProgress: (fraction: number) => void, signal: AbortSignal) {
  const usedCredentials = credentials();
  const headersFor = (sender: Credentials | undefined) =>
    sender ? { authorization: authorizationOf(sender) } : ({} as Record<string, string>);
  try {
    return await transfer<T>("POST", path, headersFor(usedCredentials), form, onProgress, signal);
  } catch (error) {
    const replacement =
      usedCredentials && isInvalidKeyError(error) ? await afterRefusal(error, usedCredentials) : undefined;
    if (!replacement) throw error;
    return transfer<T>("POST", path, headersFor(replacement), form, onProgress, signal);
  }
}
