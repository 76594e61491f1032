import { once } from "node:events";
import { SMTPServer, type SMTPServerDataStream } from "smtp-server";
import { mailDomain } from "../../../shared/base/environment.ts";
import { isFull } from "../../../shared/messaging/incoming-mail/counts.ts";
import { findRecipient } from "../../../shared/services/mail/addresses.ts";
import { acceptMail, maxMailBytes } from "./accept.ts";

const maxRecipients = 20;
const maxClients = 20;
const idleMs = 60_000;
/** How long a client may take for a mail, and so occupy memory. */
const dataMs = 5 * 60_000;

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

/** The mail; undefined if it is too large. All of it is read, because the client listens for the answer only then. */
async function boundedContent(stream: SMTPServerDataStream): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size <= maxMailBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size <= maxMailBytes ? Buffer.concat(chunks) : undefined;
}

/** Takes mail for the fleet's addresses by SMTP, from a mail server in front of it or from programs on this machine. */
export async function startSmtp(port: number, host: string): Promise<{ port: number; stop(): Promise<void> }> {
  const server = new SMTPServer({
    ...{
      name: mailDomain(),
      banner: "Skein",
      size: maxMailBytes,
      maxClients,
      socketTimeout: idleMs,
      closeTimeout: 1000,
    },
    // Whoever may send here is decided by who reaches the port.
    ...{ authOptional: true, disabledCommands: ["AUTH", "STARTTLS"], disableReverseLookup: true },
    onRcptTo: async ({ address }, { envelope }, done) => {
      try {
        if (envelope.rcptTo.length >= maxRecipients) done(refusal(452, "Too many recipients"));
        else {
          const recipient = await findRecipient(address);
          if (!recipient) done(refusal(550, "No such address"));
          else if (await isFull(recipient)) done(refusal(451, "Too many mails, try again later"));
          else done();
        }
      } catch {
        done(refusal(451, "Try again later"));
      }
    },
    onData: async (stream, { envelope, id }, done) => {
      // The client sends slowly; it tries again when the connection breaks.
      const timer = setTimeout(() => [...server.connections].find((one) => one.id === id)?.close(), dataMs);
      try {
        const content = await boundedContent(stream);
        if (!content) return done(refusal(552, "The mail is too large"));
        const { mailFrom, rcptTo } = envelope;
        await acceptMail(
          content,
          mailFrom ? mailFrom.address : "",
          rcptTo.map(({ address }) => address),
        );
        done(null, "Accepted");
      } catch {
        done(refusal(451, "Try again later"));
      } finally {
        clearTimeout(timer);
      }
    },
  });
  // A client that breaks off is no reason to end the host.
  server.on("error", (error) => console.error(JSON.stringify({ smtp: String(error) })));
  const listener = server.listen(port, host);
  await once(listener, "listening");
  const address = listener.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
