import { hasMoreValuesThan, parseJson } from "../../base/schema/text.ts";
import { formFields } from "../../services/http/read-params.ts";
import { type Delivery, UnreadablePayload } from "./integration.ts";

/** Values of a payload's lists and objects: more than services send in a request of that size. Each is checked by a schema. */
const maxValues = 50_000;

/** Decodes a service's body: JSON, a form whose field `payload` is JSON, or a form. An empty body is an empty object. */
export function decodeBody({ headers, body }: Pick<Delivery, "headers" | "body">): unknown {
  const text = body.toString("utf8").replace(/^\uFEFF/, "");
  if (text.trim() === "") return {};
  if (/^application\/x-www-form-urlencoded/i.test(headers["content-type"] ?? "") && !/^\s*[[{]/.test(text)) {
    const fields = new Map(formFields(text));
    const payload = fields.get("payload");
    return payload === undefined ? Object.fromEntries(fields) : fromJson(payload);
  }
  return fromJson(text);
}

function fromJson(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw new UnreadablePayload("it is not JSON");
  if (hasMoreValuesThan(maxValues, value)) throw new UnreadablePayload(`it has more than ${maxValues} values`);
  return value;
}
