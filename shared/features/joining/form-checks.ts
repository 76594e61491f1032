import { badRequest, notFound, rateLimitHit } from "../../base/errors.ts";
import { networkOf } from "../../base/network.ts";
import type { HttpRequest } from "../../services/http/event.ts";
import { isFromOwnPage } from "../../services/http/page.ts";
import { addRequests, secondsLeft } from "../../store/users/request-counts.ts";

/** The check for every submitted form: it must come from a page of this server, which prevents CSRF. */
export function checkSameOrigin(request: HttpRequest): void {
  if (!isFromOwnPage(request)) throw badRequest("This form was submitted from another site.");
}

/** The maximum number of emails that one network may request in a time window. */
const maxMailRequests = 120;
const windowSeconds = 3600;

/** Counts a request for an e-mail, and refuses it above the limit. 1 write unit. */
export async function limitMailRequests({ sourceIp }: Pick<HttpRequest, "sourceIp">): Promise<void> {
  const window = { name: `asked ${networkOf(sourceIp)}`, seconds: windowSeconds };
  const now = Date.now() / 1000;
  if ((await addRequests(window, now, 1)) > maxMailRequests) throw rateLimitHit(secondsLeft(window, now));
}

export const invalidLink = () =>
  notFound("This link is no longer valid: it has been used or revoked, or has expired. Please request a new one.");
