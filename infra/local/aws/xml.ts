import { XMLParser } from "fast-xml-parser";
import { AwsError } from "./protocol.ts";

/** What an element holds: text, elements by name, or, as a list, one element for each. */
export type XmlValue = string | number | boolean | undefined | { [name: string]: XmlValue | XmlValue[] };

const escaped = (text: string) =>
  // Line breaks and control characters too: a reader would change or refuse them as they are.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys may hold them
  text.replace(/[&<>"\x00-\x1f]/g, (char) => `&#${char.charCodeAt(0)};`);

/** Writes one element, or several when there is a list; nothing for undefined. */
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

/** Reads the elements named `list` inside the root element, each with its children's text. */
export function readXml(text: string, root: string, list: string): Record<string, string>[] {
  try {
    // Entities that a document defines itself are not expanded: they are a way to make a small document huge.
    const parser = new XMLParser({ parseTagValue: false, trimValues: false, isArray: (name) => name === list });
    const items = parser.parse(text)[root]?.[list];
    if (Array.isArray(items)) return items;
  } catch {
    // Said below.
  }
  throw new AwsError(
    "MalformedXML",
    "The XML you provided was not well-formed or did not validate against our published schema",
  );
}
