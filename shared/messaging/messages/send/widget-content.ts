import { badRequest } from "../../../base/errors.ts";
import { limits } from "../../../base/limits.ts";
import { list, literal, object, oneOf, string, type Value } from "../../../base/schema/params.ts";
import { parseJson } from "../../../base/schema/text.ts";
import { type WidgetContent, widgetOf } from "../../../core/markdown/widgets.ts";
import type { Message } from "../../../store/messages/messages.ts";
import type { Submessage } from "../../../store/messages/submessages.ts";

/** A message's first submessage defines its widget: a poll, a to-do list, or a form. */

const label = string({ max: limits.widgetTextLength });
const itemCount = { max: limits.widgetItemsAtFirst };

const choice = object({ type: oneOf(["multiple_choice"]), long_name: label, reply: label, short_name: label });
const form = object({ type: oneOf(["choices"]), heading: label, choices: list(choice, { max: 100 }) });
const definitions = {
  poll: object({
    widget_type: literal("poll"),
    extra_data: object({ question: label, options: list(label, itemCount) }),
  }),
  todo: object({
    widget_type: literal("todo"),
    extra_data: object({ task_list_title: label, tasks: list(object({ task: label, desc: label }), itemCount) }),
  }),
  zform: object({ widget_type: literal("zform"), extra_data: form }),
};
export type WidgetType = keyof typeof definitions;

/** A form below a message, with a button for each reply that it offers. Zulip calls it a zform. */
export type ZForm = Value<(typeof definitions)["zform"]>;

const isWidgetType = (type: unknown): type is WidgetType =>
  typeof type === "string" && Object.hasOwn(definitions, type);

const typeOf = (content: unknown) => (content as { widget_type?: unknown } | null | undefined)?.widget_type;

/** Returns a widget's definition without unknown fields; throws a 400 if it is invalid. */
export function checkDefinition(content: unknown, types: readonly WidgetType[]): WidgetContent | ZForm {
  const type = typeOf(content);
  if (!isWidgetType(type) || !types.includes(type))
    throw badRequest(`Widgets: widget_type must be one of: ${types.join(", ")}`);
  const checked = definitions[type].schema.safeParse(content);
  if (!checked.success) {
    const { path = [], message = "" } = checked.error.issues[0] ?? {};
    // Messages of the schema have `{}` in place of the field's name.
    throw badRequest(`Widgets: ${message.replace("{}", path.join(".") || "widget_content")}`);
  }
  const widget: WidgetContent | ZForm = checked.data;
  if (Buffer.byteLength(JSON.stringify(widget)) > limits.widgetBytesPerSender) throw tooLongWidget();
  return widget;
}

const tooLongWidget = () =>
  badRequest(`Widgets: widget_content is too long (limit: ${limits.widgetBytesPerSender} bytes)`);

/** The type of the widget that a stored submessage defines. Undefined for none, and for one that clients cannot show. */
export function definedWidgetType({ type, content }: Submessage): WidgetType | undefined {
  const widgetType = type === "widget" ? typeOf(parseJson(content)) : undefined;
  return isWidgetType(widgetType) ? widgetType : undefined;
}

/** Parses the widget sent with a message. It must be a form: a command in the message's content makes polls and to-do lists. */
export function checkWidget(json: string | undefined): ZForm | undefined {
  if (json === undefined) return undefined;
  // Escaped, each byte takes at most six characters.
  if (json.length > 6 * limits.widgetBytesPerSender) throw tooLongWidget();
  const content = parseJson(json);
  if (content === undefined) throw badRequest("Widgets: API programmer sent invalid JSON content");
  return checkDefinition(content, ["zform"]) as ZForm;
}

/** Refuses a message whose command, `/poll` or `/todo`, would make a widget beyond the limits. */
export function checkWidgetCommand(content: string): void {
  const widget = widgetOf(content);
  if (!widget) return;
  const { widgetItemsAtFirst: maxItems, widgetTextLength: maxLength } = limits;
  if (definitions[widget.widget_type].schema.safeParse(widget).success) return;
  throw badRequest(
    widget.widget_type === "poll"
      ? `A poll can start with at most ${maxItems} options; each, and the question, may have at most ${maxLength} characters.`
      : `A to-do list can start with at most ${maxItems} tasks; each, its description and the title may have at most ${maxLength} characters.`,
  );
}

/** Makes a message's first submessage, which defines its widget. */
export const widgetSubmessage = (message: Message, widget: WidgetContent | ZForm, id: number): Submessage => ({
  id,
  messageId: message.id,
  senderId: message.senderId,
  type: "widget",
  content: JSON.stringify(widget),
});
