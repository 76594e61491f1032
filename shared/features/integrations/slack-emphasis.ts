/** Slack's emphasis in Markdown: texts are split into pieces first, then signs are paired, then pairs are nested. */

export interface Piece {
  /**
   * `sign`: one `*`, `_` or `~`, which may begin or end emphasis. `mention`: of a person, group or channel. `address`: a link that
   * shows its address. `other`: everything else that is not text, such as another link or code.
   */
  kind: "text" | "sign" | "mention" | "address" | "other";
  /** Markdown. */
  text: string;
}

/** Markdown's signs. */
type Mark = "**" | "*" | "~~";
const marks: Record<string, Mark> = { "*": "**", _: "*", "~": "~~" };

/** Emphasis that has begun; the first one is the whole text. */
interface Open {
  sign: Piece | undefined;
  pieces: Piece[];
}

/** The Markdown of a text in which signs begin and end emphasis, within a line and not within a word. */
export function emphasized(pieces: readonly Piece[]): string {
  const whole: Open = { sign: undefined, pieces: [] };
  // At most one of each sign, so that the work grows with the text alone.
  const open = [whole];
  /** Takes back emphasis that does not end: its sign is text. */
  const takeBack = (index: number) => {
    const { pieces: outer } = open[index - 1] ?? whole;
    for (const { sign, pieces: inner } of open.splice(index, 1)) {
      if (sign) outer.push(sign);
      for (const piece of inner) outer.push(piece);
    }
  };
  for (const [index, piece] of pieces.entries()) {
    if (piece.text.includes("\n")) while (open.length > 1) takeBack(open.length - 1);
    const before = pieces[index - 1];
    const after = pieces[index + 1];
    const begun = piece.kind === "sign" ? open.findIndex(({ sign }) => sign?.text === piece.text) : -1;
    if (begun > 0 && touches(before, "end") && isOutsideWord(after, "start")) {
      while (open.length > begun + 1) takeBack(open.length - 1);
      const ended = open.pop() ?? whole;
      open.at(-1)?.pieces.push(...withMarks(marks[piece.text] ?? "*", ended.pieces));
    } else if (piece.kind === "sign" && touches(after, "start") && isOutsideWord(before, "end")) {
      if (begun > 0) takeBack(begun);
      open.push({ sign: piece, pieces: [] });
    } else open.at(-1)?.pieces.push(piece);
  }
  while (open.length > 1) takeBack(open.length - 1);
  return joined(whole.pieces);
}

const characterOf = ({ text }: Piece, end: "start" | "end") =>
  (end === "start" ? /^./su : /.$/su).exec(text)?.[0] ?? "";

/** Whether a sign has something that is not a space on this side. */
const touches = (piece: Piece | undefined, end: "start" | "end") =>
  piece !== undefined && (piece.kind !== "text" || /\S/.test(characterOf(piece, end)));

const isOutsideWord = (piece: Piece | undefined, end: "start" | "end") =>
  piece?.kind !== "text" || !/[\p{L}\p{N}/\\@]/u.test(characterOf(piece, end));

/** Pieces with marks around them. Mentions stay outside: a mark beside a mention would make it a text. */
function withMarks(mark: Mark, pieces: readonly Piece[]): Piece[] {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const group = groups.at(-1);
    if (piece.kind === "mention" || !group || group[0]?.kind === "mention") groups.push([piece]);
    else group.push(piece);
  }
  return groups.flatMap((group) =>
    group[0]?.kind === "mention" ? group : [{ kind: "other", text: marked(joined(group, true), mark) }],
  );
}

/** Marks around each line of a Markdown text; spaces at the ends stay outside. */
export const marked = (text: string, mark: Mark | "`"): string =>
  text.replace(/^([^\S\n]*)(\S(?:.*\S)?)([^\S\n]*)$/gm, (_, start: string, line: string, end: string) => {
    // Three asterisks are read as one sign, which must stand on both sides of a text without any.
    const isSimple = /^(\*\*?)(?!\*)([^*]+)(?<!\*)\1$/.exec(line)?.[1];
    const meets = mark[0] === "*" && (isSimple === undefined || isSimple === mark);
    const opening = meets && line.startsWith("*") ? `${mark}${nothing}` : mark;
    const closing = meets && line.endsWith("*") ? `${nothing}${mark}` : mark;
    const inner = mark === "*" ? withoutCarets(line) : line;
    return `${start}${opening}${inner}${closing}${end}`;
  });

/** A text without carets, which end emphasis, but in code and in addresses, where there are no entities. */
const withoutCarets = (line: string) =>
  line.replace(/`[^`]*`|\]\([^)]*\)|\^/g, (found) => (found === "^" ? "&#x5e;" : found));

/** A character without width, which keeps signs apart. */
const nothing = "\u200B";

/** The Markdown of pieces one after the other, none of which changes what another one means. */
export function joined(pieces: readonly Piece[], isEmphasized = false): string {
  const written: string[] = [];
  let last = "";
  const write = (text: string) => {
    written.push(text);
    last = text.at(-1) ?? last;
  };
  for (const line of linesOf(pieces)) {
    const asterisks = line.reduce((count, { text }) => count + text.split("*").length - 1, 0);
    for (const [index, { kind, text }] of line.entries()) {
      if (kind === "address") {
        // Letters and marks beside a bare address would be read as a part of it.
        const isBare = !isEmphasized && /^[\s(]?$/.test(last) && endsAddress(line, index + 1);
        write(isBare ? text : `[${text}](${text})`);
        continue;
      }
      if (kind === "mention" && !/^[\s'"({[/<]?$/.test(last)) write(" ");
      if (kind === "other" && "*~`".includes(text[0] ?? " ") && last === text[0]) write(nothing);
      const isEmphasis = kind === "sign" && text === "*" && (asterisks > 1 || isEmphasized);
      const isBeside = touches(line[index - 1], "end") || touches(line[index + 1], "start");
      write(isEmphasis && isBeside ? "&#x2a;" : text);
    }
  }
  return written.join("");
}

/** Whether what begins with this piece cannot be a part of an address before it. */
function endsAddress(line: readonly Piece[], index: number): boolean {
  const next = line[index];
  if (!next) return true;
  const end = index + 1 === line.length ? /^[.,:;!?)]*(?:\s|$)/ : /^[.,:;!?)]*\s/;
  return next.kind === "text" && end.test(next.text);
}

function* linesOf(pieces: readonly Piece[]): Generator<Piece[]> {
  let line: Piece[] = [];
  for (const piece of pieces) {
    line.push(piece);
    if (!piece.text.includes("\n")) continue;
    yield line;
    line = [];
  }
  yield line;
}
