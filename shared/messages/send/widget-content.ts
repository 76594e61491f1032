import { badRequest } from "../../errors.ts";
import type { WidgetContent } from "../../markdown/widgets.ts";
import { list, object, oneOf, strictSchemaOf, string, type Value } from "../../schema/params.ts";
import type { Message } from "../../store/messages/messages.ts";
import type { Submessage } from "../../store/messages/submessages.ts";

const choice = object({ type: oneOf(["multiple_choice"]), long_name: string(), reply: string(), short_name: string() });
const form = object({ type: oneOf(["choices"]), heading: string(), choices: list(choice, { max: 100 }) });
const zform = object({ widget_type: oneOf(["zform"]), extra_data: form });

/** A form of choices, which bots may send with a message. */
export type ZForm = Value<typeof zform>;

/** Checks a widget sent with a message. Only forms can be sent so; polls and todo lists come from a command in the text. */
export function checkWidget(text: string | undefined): ZForm | undefined {
  if (text === undefined) return undefined;
  const content = parsedJson(text, "Widgets: API programmer sent invalid JSON content");
  const checked = strictSchemaOf({ widget: zform }).safeParse({ widget: content });
  if (checked.success) return checked.data.widget as ZForm;
  const { path = [], message = "" } = checked.error.issues[0] ?? {};
  throw badRequest(`Widgets: ${message.replace("{}", path.slice(1).join(".") || "widget_content")}`);
}

export function parsedJson(text: string, otherwise: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(otherwise);
  }
}

/** A message's first submessage, which defines its widget. */
export const widgetSubmessage = (message: Message, widget: WidgetContent | ZForm, id: number): Submessage => ({
  id,
  messageId: message.id,
  senderId: message.senderId,
  type: "widget",
  content: JSON.stringify(widget),
});
