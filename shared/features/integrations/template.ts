import mustache from "mustache";
import { quoted } from "../../core/markdown/source/fenced.ts";
import { UnreadablePayload } from "./integration.ts";
import { plain, quotable } from "./text.ts";

/**
 * Fills in Mustache templates (https://mustache.github.io/mustache.5.html) with payloads, both of which may be hostile: a payload
 * can contain nothing that is run, only its own fields are found, and lists within lists end after a fixed amount of work.
 */

/** How values are inserted by `{{name}}`, and by `{{{name}}}`, which in HTML would not be escaped. */
interface Insertion {
  value: (text: string) => string;
  lines: (text: string) => string;
}

/** Into Markdown: as one line without markup, or as a quotation. */
const intoMarkdown = (template: string): Insertion => ({
  value: plain,
  // On lines of its own, and with a longer fence than any around it, wherever in the template the name is.
  lines: (text) => (text.trim() === "" ? "" : `\n${quoted(quotable(text), template)}\n`),
});

const intoPlainText: Insertion = { value: (text) => text, lines: (text) => text };

/** In characters that are written or read. Enough for some hundred values, and done within some ten milliseconds. */
const maxWork = 1_000_000;
/** Of one value: more than is shown of it. */
const maxValueCharacters = 20_000;

class Filling {
  private work = 0;

  spend(characters: number): void {
    this.work += characters;
    if (this.work > maxWork) throw new UnreadablePayload("its lists are too long for the template");
  }

  textOf(value: unknown): string {
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    this.spend(text.length);
    return text.slice(0, maxValueCharacters);
  }
}

/** Finds names in a payload. The library's own lookup also finds what objects inherit, such as `constructor`. */
class OwnFields extends mustache.Context {
  private readonly filling: Filling;
  /** What each repetition of a section may write. */
  private readonly templateLength: number;
  private readonly outer: OwnFields | undefined;
  private readonly depth: number;

  constructor(view: unknown, filling: Filling, templateLength: number, outer?: OwnFields) {
    super(view, outer);
    this.filling = filling;
    this.templateLength = templateLength;
    this.outer = outer;
    this.depth = (outer?.depth ?? 0) + 1;
  }

  override push(view: unknown): OwnFields {
    this.filling.spend(this.templateLength);
    return new OwnFields(view, this.filling, this.templateLength, this);
  }

  override lookup(name: string): unknown {
    this.filling.spend(name.length + this.depth);
    if (name === ".") return this.view;
    const [first = "", ...path] = name.split(".");
    let holder: OwnFields | undefined = this;
    while (holder && !hasField(holder.view, first)) holder = holder.outer;
    return [first, ...path].reduce(fieldOf, holder?.view);
  }
}

const hasField = (view: unknown, name: string): view is Record<string, unknown> =>
  typeof view === "object" && view !== null && Object.hasOwn(view, name);
const fieldOf = (view: unknown, name: string): unknown => (hasField(view, name) ? view[name] : undefined);

class TemplateWriter extends mustache.Writer {
  private readonly filling: Filling;
  private readonly lines: Insertion["lines"];

  constructor(filling: Filling, lines: Insertion["lines"]) {
    super();
    this.filling = filling;
    this.lines = lines;
  }

  override unescapedValue([, name = ""]: string[], context: mustache.Context): string {
    const value = context.lookup(name) as unknown;
    return value === undefined || value === null ? "" : this.lines(this.filling.textOf(value));
  }
}

/** Markdown from a template of Markdown; throws UnreadablePayload for a template that is none. */
export const fillMarkdown = (template: string, payload: unknown): string =>
  fill(template, payload, intoMarkdown(template));

/** Text from a template of text, such as a topic; throws like `fillMarkdown`. */
export const fillText = (template: string, payload: unknown): string => fill(template, payload, intoPlainText);

function fill(template: string, payload: unknown, { value, lines }: Insertion): string {
  const filling = new Filling();
  const writer = new TemplateWriter(filling, lines);
  const fields = new OwnFields(payload, filling, template.length);
  try {
    return writer.render(template, fields, undefined, { escape: (found) => value(filling.textOf(found)) });
  } catch (error) {
    if (error instanceof UnreadablePayload) throw error;
    throw new UnreadablePayload(`the template cannot be read (${(error as Error).message})`);
  }
}
