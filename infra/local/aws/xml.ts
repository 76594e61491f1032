import { AwsError } from "./protocol.ts";

/** An element's content: text, or child elements by name; a list makes one element for each item. */
type XmlValue = string | number | boolean | undefined | { [name: string]: XmlValue | XmlValue[] };

const escaped = (text: string) =>
  // Also escapes line breaks and control characters, which parsers normalize or reject.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the keys of objects may contain them.
  text.replace(/[&<>"\x00-\x1f]/g, (char) => `&#${char.charCodeAt(0)};`);

/** Writes an element, or one for each item of a list; nothing for undefined. */
export function xml(name: string, value: XmlValue | XmlValue[]): string {
  if (Array.isArray(value)) return value.map((item) => xml(name, item)).join("");
  if (value === undefined) return "";
  const inner =
    typeof value === "object"
      ? Object.entries(value)
          .map(([child, content]) => xml(child, content))
          .join("")
      : escaped(String(value));
  return `<${name}>${inner}</${name}>`;
}

/** The text of the children, by name, of each element `list` in the root element; throws MalformedXML if there is none. */
export async function readXml(text: string, root: string, list: string): Promise<Record<string, string>[]> {
  // Loaded on demand: only the end of an upload in parts has XML.
  const { XMLParser } = await import("fast-xml-parser");
  try {
    // The parser does not expand entities that the document defines, which could make a small document huge.
    const parser = new XMLParser({ parseTagValue: false, trimValues: false, isArray: (name) => name === list });
    const items = parser.parse(text)[root]?.[list];
    if (Array.isArray(items)) return items;
  } catch {
    // Falls through to the error below.
  }
  throw new AwsError(
    "MalformedXML",
    "The XML you provided was not well-formed or did not validate against our published schema",
  );
}
