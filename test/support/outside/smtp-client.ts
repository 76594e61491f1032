import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { target } from "../target.ts";

/** Sends a mail as any mail server does. Returns the last answer, such as "250 Accepted", or that by which it was refused. */
export async function sendBySmtp(
  raw: string,
  to: readonly string[],
  { from = "outside@example.com", port = Number(target().environment.SKEIN_MAIL_PORT) } = {},
): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  const reply = async (): Promise<string> => {
    const { value = "closed" } = await lines.next();
    return /^\d{3}-/.test(value) ? reply() : value;
  };
  // Bytes, because a mail may have any charset.
  const data = `${raw.replaceAll(/\r?\n/g, "\r\n").replaceAll(/^\./gm, "..")}\r\n.\r\n`;
  const commands = ["EHLO outside.test", `MAIL FROM:<${from}>`, ...to.map((one) => `RCPT TO:<${one}>`), "DATA"];
  try {
    let answer = await reply();
    for (const command of [...commands.map((line) => `${line}\r\n`), data]) {
      socket.write(command, "latin1");
      answer = await reply();
      if (/^[45]/.test(answer)) break;
    }
    return answer;
  } finally {
    socket.end("QUIT\r\n");
    socket.resume();
    await once(socket, "close");
  }
}
