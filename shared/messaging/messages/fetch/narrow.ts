import { badNarrow, badRequest } from "../../../base/errors.ts";
import { limits } from "../../../base/limits.ts";
import { bool, jsonValue, lengthOf, list, object, string, union, withDefault } from "../../../base/schema/params.ts";
import { parsePeriod } from "./sent-periods.ts";

/** A narrow as clients send it: a list of objects, or of pairs of strings. */
export const narrowParam = () =>
  list(
    union(
      [object({ operator: string(), operand: jsonValue(), negated: withDefault(bool(), false) }), list(string())],
      "a dict or a pair",
    ),
    { max: 100 },
  );

export type Operand = number | string | (number | string)[];

export interface Term {
  operator: NarrowOperator;
  operand: Operand;
  negated: boolean;
}

type OperandKind = "text" | "name" | "people" | "id" | "time";

const operandKinds = {
  channel: "name",
  channels: "text",
  topic: "text",
  sender: "name",
  dm: "people",
  "dm-including": "people",
  "group-pm-with": "people",
  mentions: "name",
  before: "time",
  after: "time",
  date: "time",
  is: "text",
  has: "text",
  in: "text",
  id: "id",
  near: "id",
  with: "id",
  search: "text",
} as const satisfies Record<string, OperandKind>;
type NarrowOperator = keyof typeof operandKinds;

const aliases: Record<string, NarrowOperator> = {
  stream: "channel",
  streams: "channels",
  "pm-with": "dm",
  pm_with: "dm",
  group_pm_with: "group-pm-with",
};

type SentTerm = { operator: string; operand: unknown; negated?: boolean | undefined } | string[];

/** Total characters of a narrow's search terms: each candidate message is scanned for each of them. */
const maxSearchCharacters = 1000;
/** Each search term costs a pass over the candidates' content. */
const maxSearches = 10;
/** Each date may cost a hundred reads of messages. */
const maxDates = 10;
/** Each person costs a read. */
const maxPeople = 200;

/**
 * Parses a narrow and resolves aliases of operators. An unknown operator gives BAD_NARROW: if it were ignored, the narrow would
 * match too many messages.
 */
export function parseNarrow(sentTerms: readonly SentTerm[]): Term[] {
  const terms = sentTerms.map(parseTerm);
  const searches = terms.filter(({ operator }) => operator === "search").map(({ operand }) => String(operand));
  if (searches.length > maxSearches) throw badNarrow(`too many searches (limit: ${maxSearches})`);
  if (searches.reduce((sum, query) => sum + lengthOf(query), 0) > maxSearchCharacters)
    throw badNarrow(`search is too long (limit: ${maxSearchCharacters} characters)`);
  if (terms.filter(({ operator }) => operandKinds[operator] === "time").length > maxDates)
    throw badNarrow(`too many dates (limit: ${maxDates})`);
  const people = terms.reduce((sum, term) => sum + (namesPeople(term) ? countPeople(term.operand) : 0), 0);
  if (people > maxPeople) throw badNarrow(`too many people (limit: ${maxPeople})`);
  return terms;
}

const namesPeople = ({ operator }: Term) =>
  operandKinds[operator] === "people" || operator === "sender" || operator === "mentions";

function parseTerm(term: SentTerm): Term {
  if (Array.isArray(term) && term.length !== 2) throw badRequest("narrow element is not a pair");
  const {
    operator: name,
    operand,
    negated = false,
  } = Array.isArray(term) ? { operator: term[0] ?? "", operand: term[1] } : term;
  const operator = Object.hasOwn(operandKinds, name)
    ? (name as NarrowOperator)
    : Object.hasOwn(aliases, name)
      ? aliases[name]
      : undefined;
  if (!operator) throw badNarrow(`unknown operator ${name}`);
  return { operator, operand: checkOperand(operator, operand), negated };
}

/** How many people an operand names: as a list, or as addresses separated by commas. */
const countPeople = (operand: Operand) => (Array.isArray(operand) ? operand.length : String(operand).split(",").length);

function checkOperand(operator: NarrowOperator, operand: unknown): Operand {
  const isScalar = (value: unknown) => typeof value === "string" || Number.isSafeInteger(value);
  const isValid: Record<OperandKind, boolean> = {
    text: typeof operand === "string",
    name: isScalar(operand),
    people: isScalar(operand) || (Array.isArray(operand) && operand.every(isScalar)),
    id: isScalar(operand),
    time: isScalar(operand),
  };
  if (!isValid[operandKinds[operator]]) throw badRequest(`Invalid operand of narrow operator ${operator}`);
  if (operandKinds[operator] === "people" && countPeople(operand as Operand) > limits.directMessageParticipants)
    throw badNarrow(`too many people in ${operator}`);
  if (operator === "search" && (operand as string).trim() === "") throw badRequest("operand cannot be blank");
  if (operandKinds[operator] === "id" && !/^\d{1,16}$/.test(String(operand))) throw badNarrow("Invalid message ID");
  if (operandKinds[operator] === "time" && !parsePeriod(operand as string | number))
    throw badNarrow(`invalid date ${operand}`);
  return operand as Operand;
}

export const operandsOf = (terms: readonly Term[], operator: NarrowOperator): Operand[] =>
  terms.filter((term) => term.operator === operator && !term.negated).map(({ operand }) => operand);
