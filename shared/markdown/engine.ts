import MarkdownIt from "markdown-it";
import { emptyBlock } from "./blocks/empty.ts";
import { heading } from "./blocks/heading.ts";
import { indentedCode } from "./blocks/indented-code.ts";
import { bulletList, numberedList } from "./blocks/list.ts";
import { listIndent } from "./blocks/list-indent.ts";
import { paragraph } from "./blocks/paragraph.ts";
import { blocks } from "./blocks/parser.ts";
import { blockQuote } from "./blocks/quote.ts";
import { horizontalRule } from "./blocks/rule.ts";
import { table } from "./blocks/table.ts";
import { inlines } from "./inlines.ts";
import { indentedCodeMarkup, lineLayout } from "./layout.ts";
import { previews } from "./previews.ts";
import { fences } from "./source/fences.ts";
import { hangingLists } from "./source/hanging-lists.ts";
import { whitespace } from "./source/whitespace.ts";
import { tokens } from "./tokens.ts";

let engine: ReturnType<typeof create> | undefined;

/** The one markdown-it instance: a chain of steps from lines to tokens, and the renderer that writes these as HTML. */
export function markdownEngine(): ReturnType<typeof create> {
  engine ??= create();
  return engine;
}

function create() {
  const md = new MarkdownIt("zero");
  // The service's rules of precedence differ from CommonMark's in nearly every block and inline construct: it reads whole
  // blocks, not lines, and looks for one kind of construct at a time. So its steps take the place of the default ones.
  md.core.ruler.disable(["normalize", "block", "inline", "text_join"]);
  return md
    .use(hangingLists)
    .use(whitespace)
    .use(fences)
    .use(
      blocks([
        emptyBlock,
        listIndent,
        indentedCode,
        heading,
        table,
        horizontalRule,
        numberedList,
        bulletList,
        blockQuote,
        paragraph,
      ]),
    )
    .use(indentedCodeMarkup)
    .use(inlines)
    .use(lineLayout)
    .use(previews)
    .use(tokens);
}
