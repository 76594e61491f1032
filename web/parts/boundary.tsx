import { Component, type ComponentChildren, type VNode } from "preact";
import { t } from "../base/languages/language.ts";

/** Contains failures: content that cannot be rendered is shown as its text, and everything around it as usual. */

const report = (what: string, error: unknown) => console.error(`Cannot show ${what}:`, error);

interface Props {
  /** What the children show, for the console. */
  what: string;
  /** The data that the children show. After a failure they are rendered again as soon as it is another value. */
  of?: unknown;
  /** What to show in place of children that fail; by default, a sentence with a button that tries again. */
  fallback?: () => ComponentChildren;
  children?: ComponentChildren;
}

/** A component of its own, because Preact reports a failing element to the boundaries around the component that rendered it. */
const Inside = ({ children }: { children?: ComponentChildren }) => <>{children}</>;

export class Boundary extends Component<Props, { failedWith?: { of: unknown } | undefined }> {
  override componentDidCatch(error: unknown) {
    report(this.props.what, error);
    this.setState({ failedWith: { of: this.props.of } });
  }

  override render({ of, fallback, children }: Props) {
    const { failedWith } = this.state;
    if (!failedWith || failedWith.of !== of) return <Inside>{children}</Inside>;
    if (fallback) return fallback();
    return (
      <p class="notice" role="alert">
        {t("This part of the page cannot be shown.")}{" "}
        <button type="button" onClick={() => this.setState({ failedWith: undefined })}>
          {t("Try again")}
        </button>
      </p>
    );
  }
}

/**
 * The elements of a list, each in a boundary of its own. In place of a row that fails, `text` is shown; without it, the names
 * and texts that the item has.
 */
export function rows<Item>(
  items: Iterable<Item>,
  row: (item: Item, index: number) => VNode | undefined | false,
  text: (item: Item) => string = textIn,
): VNode[] {
  return [...items].flatMap((item, index) => {
    const fallback = () => <li class="plain-text">{text(item)}</li>;
    try {
      const element = row(item, index);
      if (!element) return [];
      return [
        <Boundary key={element.key} what="a row" of={item} fallback={fallback}>
          {element}
        </Boundary>,
      ];
    } catch (error) {
      report("a row", error);
      return [fallback()];
    }
  });
}

const textFields = ["full_name", "name", "title", "topic", "text", "content"];

/** The names and texts of a record of the API, and of the records in it. */
function textIn(item: unknown, depth = 2): string {
  if (typeof item === "string") return item;
  if (typeof item !== "object" || item === null || depth === 0) return "";
  const entries = Object.entries(item);
  const own = entries.flatMap(([name, value]) => (textFields.includes(name) && typeof value === "string" ? value : []));
  if (own.length > 0) return own.join(" ");
  return entries
    .map(([, value]) => (typeof value === "object" ? textIn(value, depth - 1) : ""))
    .join(" ")
    .trim();
}
