import { badNarrow, badRequest } from "../errors.ts";
import { anything, bool, either, list, object, string, withDefault } from "../http/params.ts";
import { limits } from "../settings.ts";

/** A narrow's terms as clients send them: objects, or pairs of strings. */
export const narrowParam = () =>
  list(
    either(
      [object({ operator: string(), operand: anything(), negated: withDefault(bool(), false) }), list(string())],
      "a dict or a pair",
    ),
    { max: 100 },
  );

export type Operand = number | string | (number | string)[];

export type Operator =
  | "channel"
  | "channels"
  | "topic"
  | "sender"
  | "dm"
  | "dm-including"
  | "group-pm-with"
  | "is"
  | "has"
  | "in"
  | "id"
  | "near"
  | "with"
  | "search";

export interface Term {
  operator: Operator;
  operand: Operand;
  negated: boolean;
}

/** What an operator's operand may be. */
type Kind = "text" | "name" | "people" | "id";

const kinds: Record<Operator, Kind> = {
  channel: "name",
  channels: "text",
  topic: "text",
  sender: "name",
  dm: "people",
  "dm-including": "people",
  "group-pm-with": "people",
  is: "text",
  has: "text",
  in: "text",
  id: "id",
  near: "id",
  with: "id",
  search: "text",
};

const aliases: Record<string, Operator> = {
  stream: "channel",
  streams: "channels",
  "pm-with": "dm",
  pm_with: "dm",
  group_pm_with: "group-pm-with",
};

type SentTerm = { operator: string; operand: unknown; negated?: boolean | undefined } | string[];

/** The terms with their operators' aliases resolved; an operator that is not known is BAD_NARROW, never ignored. */
export const parseNarrow = (sent: readonly SentTerm[]): Term[] =>
  sent.map((term) => {
    if (Array.isArray(term) && term.length !== 2) throw badRequest("narrow element is not a pair");
    const {
      operator: named,
      operand,
      negated = false,
    } = Array.isArray(term) ? { operator: term[0] ?? "", operand: term[1] } : term;
    const operator = Object.hasOwn(kinds, named)
      ? (named as Operator)
      : Object.hasOwn(aliases, named)
        ? aliases[named]
        : undefined;
    if (!operator) throw badNarrow(`unknown operator ${named}`);
    return { operator, operand: checkOperand(operator, operand), negated };
  });

/** How many people an operand names: a list of them, or addresses joined by commas. */
const peopleIn = (operand: Operand) => (Array.isArray(operand) ? operand.length : String(operand).split(",").length);

function checkOperand(operator: Operator, operand: unknown): Operand {
  const isScalar = (value: unknown) => typeof value === "string" || Number.isSafeInteger(value);
  const fits: Record<Kind, boolean> = {
    text: typeof operand === "string",
    name: isScalar(operand),
    people: isScalar(operand) || (Array.isArray(operand) && operand.every(isScalar)),
    id: isScalar(operand),
  };
  if (!fits[kinds[operator]]) throw badRequest(`Invalid operand of narrow operator ${operator}`);
  if (kinds[operator] === "people" && peopleIn(operand as Operand) > limits.directMessageParticipants)
    throw badNarrow(`too many people in ${operator}`);
  if (operator === "search" && (operand as string).trim() === "") throw badRequest("operand cannot be blank");
  if (kinds[operator] === "id" && !/^\d{1,16}$/.test(String(operand))) throw badNarrow("Invalid message ID");
  return operand as Operand;
}

/** The positive operands of an operator. */
export const operandsOf = (terms: readonly Term[], operator: Operator): Operand[] =>
  terms.filter((term) => term.operator === operator && !term.negated).map(({ operand }) => operand);
