import { createHash, timingSafeEqual } from "node:crypto";
import { badRequest, notFound } from "../../../base/errors.ts";
import { findImportRequest, type ImportRequest, type ImportState } from "../../../store/organization/import-request.ts";

export const hashOf = (token: string): string => createHash("sha256").update(token).digest("base64url");

/** The organization's import from the page, in a state. */
export async function accessImport(state: ImportState): Promise<ImportRequest> {
  const request = await findImportRequest();
  if (!request) throw badRequest("There is no import. Upload an archive first.");
  if (request.state !== state)
    throw badRequest(`This needs an import in the state "${state}", and it is in the state "${request.state}".`);
  return request;
}

/** The import that a token is for: while it runs, nobody has an account. */
export async function accessImportByToken(token: string): Promise<ImportRequest> {
  const request = await findImportRequest();
  const [given, expected] = [Buffer.from(hashOf(token)), Buffer.from(request?.tokenHash ?? "")];
  if (!request || given.length !== expected.length || !timingSafeEqual(given, expected))
    throw notFound("There is no such import. It has been replaced by another, or ended more than a day ago.");
  return request;
}
