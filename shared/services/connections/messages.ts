import { badRequest } from "../../base/errors.ts";
import { int, literal, object, oneOf, optional, string, type Value } from "../../base/schema/params.ts";

/**
 * What a client may send by its connection: up to which event of its queue it has received everything, whether its user is there,
 * and since when it asks for the presences of others.
 */
const acknowledgement = object({
  type: literal("acknowledge"),
  queue_id: string({ max: 100 }),
  last_event_id: int(),
  presence: optional(oneOf(["active", "idle"])),
  presence_last_update_id: optional(int({ min: -1 })),
});

export type Acknowledgement = Value<typeof acknowledgement>;

/** Throws BAD_REQUEST for anything but a message that clients may send. */
export function readMessage(text: string): Acknowledgement {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest("The message is not JSON");
  }
  const { success, data } = acknowledgement.schema.safeParse(value);
  if (!success)
    throw badRequest(
      'The message is not {"type": "acknowledge", "queue_id": string, "last_event_id": integer}, optionally with "presence": "active" or "idle", and "presence_last_update_id": integer',
    );
  if (data.presence_last_update_id !== undefined && data.presence === undefined)
    throw badRequest('"presence_last_update_id" needs "presence"');
  return data;
}
