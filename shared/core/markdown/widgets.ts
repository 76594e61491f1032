/** The content of a widget, which becomes the JSON of the message's first submessage. */
export type WidgetContent =
  | { widget_type: "poll"; extra_data: { question: string; options: string[] } }
  | { widget_type: "todo"; extra_data: { task_list_title: string; tasks: { task: string; desc: string }[] } };

/** The widget of a message that begins with `/poll` or `/todo`; undefined for others. */
export function widgetOf(content: string): WidgetContent | undefined {
  const command = /^\/(poll|todo)(?=\s|$)/.exec(content);
  if (!command) return undefined;
  const [firstLine = "", ...otherLines] = content.slice(command[0].length).split(/\r\n?|[\n\u2028\u2029]/);
  // Options and tasks may be written as a list.
  const lines = otherLines.map((line) => line.trim().replace(/^[-*]?\s*/, "")).filter((line) => line !== "");
  if (command[1] === "poll") return { widget_type: "poll", extra_data: { question: firstLine.trim(), options: lines } };
  return { widget_type: "todo", extra_data: { task_list_title: firstLine.trim(), tasks: lines.map(readTask) } };
}

function readTask(line: string): { task: string; desc: string } {
  const separator = line.indexOf(": ");
  if (separator === -1) return { task: line.trim(), desc: "" };
  return { task: line.slice(0, separator).trim(), desc: line.slice(separator + 2).trim() };
}
