import { operatorSecret } from "../../base/aws/secret.ts";
import { scimTokenArn, scimTokenText } from "../../base/environment.ts";
import { pathNotFound } from "../../base/errors.ts";
import { hashApiKey, keyMatches } from "./api-keys.ts";

/** Whether an Authorization header has the SCIM client's token. Throws NOT_FOUND where the operator has set none. */
export async function hasScimToken(header: string | undefined): Promise<boolean> {
  const arn = scimTokenArn();
  const token = arn === undefined ? scimTokenText() : await operatorSecret(arn);
  if (token === undefined) throw pathNotFound();
  const [, given] = /^Bearer +(\S+) *$/i.exec(header ?? "") ?? [];
  return given !== undefined && keyMatches(given, hashApiKey(token.trim()));
}
