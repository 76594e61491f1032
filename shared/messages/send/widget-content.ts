import { badRequest } from "../../errors.ts";
import type { WidgetContent } from "../../markdown/widgets.ts";
import { list, object, oneOf, strictSchemaOf, string, type Value } from "../../schema/params.ts";
import type { Message } from "../../store/messages/messages.ts";
import type { Submessage } from "../../store/messages/submessages.ts";

const choice = object({ type: oneOf(["multiple_choice"]), long_name: string(), reply: string(), short_name: string() });
const form = object({ type: oneOf(["choices"]), heading: string(), choices: list(choice, { max: 100 }) });
const zform = object({ widget_type: oneOf(["zform"]), extra_data: form });

/** A form below a message, with a button for each reply that it offers. Zulip calls it a zform. */
export type ZForm = Value<typeof zform>;

/** Parses the widget sent with a message. It must be a form: a command in the message's content makes polls and to-do lists. */
export function checkWidget(json: string | undefined): ZForm | undefined {
  if (json === undefined) return undefined;
  const content = parseJson(json, "Widgets: API programmer sent invalid JSON content");
  const checked = strictSchemaOf({ widget: zform }).safeParse({ widget: content });
  if (checked.success) return checked.data.widget as ZForm;
  const { path = [], message = "" } = checked.error.issues[0] ?? {};
  // Messages of the schema have `{}` in place of the field's name. The path begins with `widget`, which is not part of the
  // JSON.
  throw badRequest(`Widgets: ${message.replace("{}", path.slice(1).join(".") || "widget_content")}`);
}

/** Parses JSON; throws a 400 with the given message if it is invalid. */
export function parseJson(json: string, errorMessage: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw badRequest(errorMessage);
  }
}

/** Makes a message's first submessage, which defines its widget. */
export const widgetSubmessage = (message: Message, widget: WidgetContent | ZForm, id: number): Submessage => ({
  id,
  messageId: message.id,
  senderId: message.senderId,
  type: "widget",
  content: JSON.stringify(widget),
});
