import { globSync, readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import ts from "typescript";

/** Finds the texts of the web client in its syntax trees: those that are translated, and those that are not. */

const folder = resolve(import.meta.dirname, "../../web");

/** JSX attributes and properties of objects whose values people see or hear. */
const shownNames = new Set([
  ...["label", "title", "aria-label", "placeholder", "text", "heading", "submit", "alt", "hint", "detail", "reason"],
  ...["description", "explanation", "note", "problem", "summary", "empty"],
]);
/** Functions whose first argument people see. */
const showingFunctions = new Set(["toast", "toastWithUndo", "setProblem", "setMessage", "setNote", "setStartError"]);

const word = /\p{L}{2}/u;
/** A literal that reads like a sentence or a heading, wherever it stands. */
const sentence = /^\p{Lu}\p{Ll}+,?(?: \p{L}|$)/u;
/** Names of keys, products and others that are not translated, operators of searches, examples of code and addresses. */
const notText =
  /^(?:Skein|Generic|Claude Code|Cursor|Visual Studio Code|Enter|Esc|Escape|Tab|Home|End|Control|Files|Activities|Objects|Symbols|Flags)$|^[a-z-]+:[a-z]*$|\{\{|^https:|^example\.com$|^#\(/;
const isText = (words: string) => word.test(words) && !notText.test(words);

export interface Text {
  /** The file and line, for example "views/settings.tsx:12". */
  place: string;
  text: string;
}

const logicalOperators = new Set([
  ...[ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken],
]);

/** The literals among the values that an expression may have. */
function literalsIn(expression: ts.Expression | undefined): ts.Expression[] {
  if (expression === undefined) return [];
  if (ts.isStringLiteralLike(expression) || ts.isTemplateExpression(expression)) return [expression];
  if (ts.isParenthesizedExpression(expression) || ts.isJsxExpression(expression))
    return literalsIn(expression.expression);
  if (ts.isConditionalExpression(expression))
    return [...literalsIn(expression.whenTrue), ...literalsIn(expression.whenFalse)];
  if (ts.isBinaryExpression(expression) && logicalOperators.has(expression.operatorToken.kind))
    return [...literalsIn(expression.left), ...literalsIn(expression.right)];
  return [];
}

/** The fixed words of a literal, without the expressions in it. */
const wordsOf = (literal: ts.Expression) =>
  ts.isTemplateExpression(literal)
    ? [literal.head.text, ...literal.templateSpans.map((span) => span.literal.text)].join(" ")
    : (literal as ts.StringLiteralLike).text;

const nameOf = (expression: ts.Expression) => (ts.isIdentifier(expression) ? expression.text : "");

/** What nobody sees: messages in the console and errors in the program, and what a `Boundary` reports to the console. */
function isUnseen(node: ts.Node): boolean {
  for (let parent = node.parent; parent && !ts.isBlock(parent); parent = parent.parent) {
    if (ts.isCallExpression(parent) && /^(?:console\.\w+|report|t)$/.test(parent.expression.getText())) return true;
    if (ts.isNewExpression(parent) && /(?:Error|Exception)$/.test(parent.expression.getText())) return true;
    if (ts.isJsxAttribute(parent) && parent.name.getText() === "what") return true;
    if (ts.isJsxAttribute(parent) && messageOf(parent.parent.parent) === parent.initializer) return true;
    if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsEqualsEqualsToken)
      return true;
    if (ts.isTypeNode(parent) || ts.isImportDeclaration(parent)) return true;
  }
  return false;
}

/** The literals that a node itself shows. */
function shownBy(node: ts.Node): ts.Expression[] {
  if (ts.isJsxAttribute(node) && shownNames.has(node.name.getText()))
    return literalsIn(node.initializer as ts.Expression | undefined);
  if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) return literalsIn(node.expression);
  if (ts.isPropertyAssignment(node) && shownNames.has(node.name.getText())) return literalsIn(node.initializer);
  if (ts.isCallExpression(node) && showingFunctions.has(nameOf(node.expression))) return literalsIn(node.arguments[0]);
  if ((ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) && sentence.test(wordsOf(node))) return [node];
  return [];
}

/** The message of a call of `t` or of a `Translated` element; undefined for other nodes. */
function messageOf(node: ts.Node): ts.Node | undefined {
  if (ts.isCallExpression(node) && nameOf(node.expression) === "t") return node.arguments[0];
  if (!ts.isJsxSelfClosingElement(node) || node.tagName.getText() !== "Translated") return undefined;
  const text = node.attributes.properties.find((each) => each.name?.getText() === "text");
  return text && ts.isJsxAttribute(text) ? text.initializer : undefined;
}

/** Whether a node is evaluated when its module is loaded: before the language is. */
function isAtLoad(node: ts.Node): boolean {
  for (let { parent } = node; parent; parent = parent.parent) if (ts.isFunctionLike(parent)) return false;
  return true;
}

/** The texts that are translated, those of them that stay in the language of the moment, and those that are not translated. */
export function textsOfWebClient(): { translated: Text[]; fixed: Text[]; untranslated: Text[] } {
  const translated: Text[] = [];
  const fixed: Text[] = [];
  const untranslated: Text[] = [];
  for (const file of globSync(`${folder}/**/*.{ts,tsx}`)) {
    if (/\/(?:languages|pages|service-worker)\//.test(file)) continue;
    const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
    const add = (list: Text[], node: ts.Node, text: string) => {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      list.push({ place: `${relative(folder, file)}:${line + 1}`, text });
    };
    const visit = (node: ts.Node) => {
      const message = messageOf(node);
      if (message && ts.isStringLiteralLike(message)) {
        add(translated, node, message.text);
        if (isAtLoad(node)) add(fixed, node, message.text);
        // The texts inside its arguments are translated on their own.
        if (ts.isCallExpression(node)) node.arguments.slice(1).forEach(visit);
        if (ts.isJsxSelfClosingElement(node)) ts.forEachChild(node.attributes, (each) => ts.forEachChild(each, visit));
        return;
      }
      if (message) add(untranslated, node, node.getText());
      if (ts.isJsxText(node) && isText(node.text.trim())) add(untranslated, node, node.text.trim());
      for (const literal of shownBy(node))
        if (isText(wordsOf(literal)) && !isUnseen(literal)) add(untranslated, literal, literal.getText());
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { translated, fixed, untranslated };
}
