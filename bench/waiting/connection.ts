import { connect, type Socket } from "node:net";

export interface Reply {
  status: number;
  location: string | undefined;
  body: string;
}

/**
 * A minimal HTTP connection for measuring long polls: fifty of Node's own clients would take as much processor time as the
 * host on the same machine. Only reads replies with a `content-length`, one at a time.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #head: string;
  #received = "";
  #resolveReply: ((reply: Reply) => void) | undefined;
  #rejectReply: ((error: Error) => void) | undefined;

  constructor(url: string, headers: Record<string, string>) {
    const { hostname, port, host } = new URL(url);
    const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#head = ` HTTP/1.1\r\n${lines.join("")}\r\n`;
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    // One character for each byte, so that lengths match content-length.
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (text: string) => this.#read(text));
    this.#socket.once("error", (error) => this.#rejectReply?.(error));
    this.#socket.once("close", () => this.#rejectReply?.(new Error("The connection ended")));
  }

  /** Sends a GET and resolves with the reply; rejects if the connection breaks. */
  get(path: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      [this.#resolveReply, this.#rejectReply] = [resolve, reject];
      this.#socket.write(`GET ${path}${this.#head}`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = this.#received.slice(0, end);
    const bodyAt = end + 4;
    const bodyEnd = bodyAt + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < bodyEnd) return;
    const body = Buffer.from(this.#received.slice(bodyAt, bodyEnd), "latin1").toString();
    this.#received = this.#received.slice(bodyEnd);
    this.#resolveReply?.({ status: Number(head.slice(9, 12)), location: /\r\nlocation: (.*)/i.exec(head)?.[1], body });
  }
}
