import ts from "typescript";
import { expect, test } from "vitest";
import { type Sources, sourcesOf, web } from "../../infra/structure/rooms.ts";

/**
 * A function of the web client that returns a promise rejects and never throws: who calls it may attach `.catch` to what it returns.
 * So one that may throw, itself or by a function that it calls, must be `async`.
 */

type Fn = ts.ArrowFunction | ts.FunctionDeclaration | ts.FunctionExpression | ts.MethodDeclaration;
const isFn = (node: ts.Node): node is Fn =>
  ts.isArrowFunction(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isFunctionExpression(node) ||
  ts.isMethodDeclaration(node);
const isAsync = ({ modifiers }: Fn) => modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ?? false;

function nameOf({ name, parent }: Fn): string | undefined {
  const named = name ?? (ts.isVariableDeclaration(parent) ? parent.name : undefined);
  return named && ts.isIdentifier(named) ? named.text : undefined;
}

const synchronous = /^(?:every|filter|find|findLast|flatMap|forEach|map|reduce|some|sort|toSorted)$/;
/** Whether a function runs while its caller does, as the argument of `map`. */
const runsAtOnce = ({ parent }: Fn) =>
  ts.isCallExpression(parent) &&
  ts.isPropertyAccessExpression(parent.expression) &&
  synchronous.test(parent.expression.name.text);

/** Visits what a function does itself; of a `try` with a `catch` only the latter. */
function visitBody(fn: Fn, visit: (node: ts.Node) => void): void {
  const enter = (node: ts.Node): void => {
    if (isFn(node) && !runsAtOnce(node)) return;
    const { catchClause } = ts.isTryStatement(node) ? node : {};
    if (!catchClause) visit(node);
    (catchClause ?? node).forEachChild(enter);
  };
  if (fn.body) enter(fn.body);
}

const calledIn = (node: ts.Node): string =>
  ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? node.expression.text : "";

/** The values that an expression may have. */
function valuesOf(expression: ts.Expression): ts.Expression[] {
  if (ts.isParenthesizedExpression(expression)) return valuesOf(expression.expression);
  if (ts.isConditionalExpression(expression)) return [expression.whenTrue, expression.whenFalse].flatMap(valuesOf);
  if (ts.isBinaryExpression(expression)) return [expression.left, expression.right].flatMap(valuesOf);
  // What a promise's own methods return is a promise, too.
  if (
    ts.isCallExpression(expression) &&
    ts.isPropertyAccessExpression(expression.expression) &&
    /^(?:then|catch|finally)$/.test(expression.expression.name.text)
  )
    return valuesOf(expression.expression.expression);
  return [expression];
}

function returnedBy(fn: Fn): ts.Expression[] {
  if (fn.body && !ts.isBlock(fn.body)) return valuesOf(fn.body);
  const returned: ts.Expression[] = [];
  visitBody(fn, (node) => {
    if (ts.isReturnStatement(node) && node.expression) returned.push(...valuesOf(node.expression));
  });
  return returned;
}

interface Facts {
  place: string;
  name: string | undefined;
  isAsync: boolean;
  /** Whether it returns a promise or throws whatever it calls. */
  returnsPromise: boolean;
  throws: boolean;
  /** The names of the functions whose result it returns, and of all that it calls. */
  returned: readonly string[];
  called: readonly string[];
}

function factsOf(fn: Fn, place: string): Facts {
  const values = returnedBy(fn);
  const called: string[] = [];
  let throws = false;
  visitBody(fn, (node) => {
    throws ||= ts.isThrowStatement(node);
    called.push(calledIn(node));
  });
  return {
    ...{ place, name: nameOf(fn), isAsync: isAsync(fn), throws, called, returned: values.map(calledIn) },
    returnsPromise:
      isAsync(fn) ||
      fn.type?.getText().startsWith("Promise<") === true ||
      values.some((value) => ts.isCallExpression(value) && value.expression.getText().startsWith("Promise.")),
  };
}

/** The functions that return a promise, may throw and are not `async`, by file and line. */
function throwingPromises(sources: Sources): string[] {
  const functions: Facts[] = [];
  for (const [file, text] of sources) {
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const collect = (node: ts.Node): void => {
      if (isFn(node)) functions.push(factsOf(node, `${file}:${lineOf(tree, node)}`));
      node.forEachChild(collect);
    };
    collect(tree);
  }
  const promising = new Set<string>();
  const throwing = new Set<string>();
  const isPromise = (fn: Facts) => fn.returnsPromise || fn.returned.some((name) => promising.has(name));
  const mayThrow = (fn: Facts) => fn.throws || fn.called.some((name) => throwing.has(name));
  // Until nothing is added: what a function returns and throws follows from those that it calls.
  for (let known = -1; known < promising.size + throwing.size; ) {
    known = promising.size + throwing.size;
    for (const fn of functions) {
      if (fn.name === undefined) continue;
      if (isPromise(fn)) promising.add(fn.name);
      else if (mayThrow(fn)) throwing.add(fn.name);
    }
  }
  return functions.filter((fn) => !fn.isAsync && isPromise(fn) && mayThrow(fn)).map(({ place }) => place);
}

const lineOf = (tree: ts.SourceFile, node: ts.Node) => tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;

/** Functions of the same name as another one, which are no promises: a move in a list. */
const exceptions = /^web\/parts\/fields\/form\.tsx:/;

test("no function of the web client that returns a promise throws before it does", () => {
  expect(throwingPromises(sourcesOf(web)).filter((place) => !exceptions.test(place))).toEqual([]);
});

test("a function that throws in place of rejecting is detected, directly and by what it calls", () => {
  const fixture = `
    export const call = async () => {};
    export function current() { if (!state) throw new Error("Nobody"); return state; }
    export const direct = () => { if (!state) throw new Error("Nobody"); return call(); };
    export const indirect = () => call("POST", { id: current().id });
    export const chosen = (yes) => (yes ? indirectly() : undefined);
    export const inList = (ids) => call(ids.map((id) => current().names.get(id)));
    export function typed(): Promise<void> { current(); return work; }
    export const rejecting = async () => call(current());
    export const later = () => call(() => current());
    export const caught = () => { try { current(); } catch { return undefined; } return call(); };
    export const plain = () => call("GET");
  `;

  expect(throwingPromises(new Map([["web/fixture.ts", fixture]]))).toEqual([
    "web/fixture.ts:4",
    "web/fixture.ts:5",
    "web/fixture.ts:7",
    "web/fixture.ts:8",
  ]);
});
