/** The tar format (POSIX ustar with pax records), as far as an archive of plain files needs it. */

const block = 512;

/** What stands before a file's content; long names and those beyond ASCII come as a record of their own. */
export function tarHeader(path: string, size: number, at: number): Buffer {
  if (/^[\x20-\x7e]{1,100}$/.test(path)) return header(path, size, at, "0");
  const record = paxRecord("path", path);
  const plain = path.replace(/[^\x20-\x7e]/g, "_").slice(-100);
  return Buffer.concat([
    header("pax", record.length, at, "x"),
    record,
    tarPadding(record.length),
    header(plain, size, at, "0"),
  ]);
}

/** What fills the last block of a file. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block);

/** What stands at the end of an archive. */
export const tarEnd = (): Buffer => Buffer.alloc(2 * block);

function header(path: string, size: number, at: number, kind: "0" | "x"): Buffer {
  const head = Buffer.alloc(block);
  const octal = (value: number, place: number, length: number) =>
    head.write(`${value.toString(8).padStart(length - 1, "0")}\0`, place, "latin1");
  head.write(path, 0, "latin1");
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(at, 136, 12);
  head.write("        ", 148, "latin1");
  head.write(kind, 156, "latin1");
  head.write("ustar\x0000", 257, "latin1");
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return head;
}

/** "<length> <name>=<value>\n", where the length counts its own digits. */
function paxRecord(name: string, value: string): Buffer {
  const rest = Buffer.from(` ${name}=${value}\n`);
  let length = rest.length;
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}
