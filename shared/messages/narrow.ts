import { badNarrow, badRequest } from "../errors.ts";
import { anything, bool, either, list, object, string, withDefault } from "../http/params.ts";

/** A narrow's terms as clients send them: objects, or pairs of strings. */
export const narrowParam = () =>
  list(
    either(
      [object({ operator: string(), operand: anything(), negated: withDefault(bool(), false) }), list(string())],
      "a dict or a pair",
    ),
    { max: 100 },
  );

export type Operator = "channel" | "topic" | "dm";

export interface Term {
  operator: Operator;
  operand: number | string | (number | string)[];
  negated: boolean;
}

const operators: Record<string, Operator> = {
  channel: "channel",
  stream: "channel",
  topic: "topic",
  dm: "dm",
  "pm-with": "dm",
  pm_with: "dm",
};

type SentTerm = { operator: string; operand: unknown; negated?: boolean | undefined } | string[];

/** The terms with their operators' aliases resolved; an operator that is not known is BAD_NARROW, never ignored. */
export const parseNarrow = (sent: readonly SentTerm[]): Term[] =>
  sent.map((term) => {
    if (Array.isArray(term) && term.length !== 2) throw badRequest("narrow element is not a pair");
    const {
      operator,
      operand,
      negated = false,
    } = Array.isArray(term) ? { operator: term[0] ?? "", operand: term[1] } : term;
    const known = operators[operator];
    if (!known) throw badNarrow(`unknown operator ${operator}`);
    if (!isOperand(operand)) throw badNarrow(`invalid operand of ${operator}`);
    return { operator: known, operand, negated };
  });

const isScalar = (value: unknown): value is number | string => typeof value === "number" || typeof value === "string";
const isOperand = (value: unknown): value is Term["operand"] =>
  isScalar(value) || (Array.isArray(value) && value.every(isScalar));
