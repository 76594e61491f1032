import type { Person } from "./world.ts";

/** A client that waits for its events at a WebSocket, as the web client does. */
export interface Connection {
  url: string;
  /** The messages in the order in which they arrived. */
  messages: any[];
  /** The events, each once, in their order. */
  events: any[];
  /** The last ID up to which the client has everything. */
  seen: number;
  /** Why the connection is closed: the code of the close frame; undefined while it is open. */
  closeCode: number | undefined;
  send(message: unknown): void;
  /** Says what the client has, and asks for what it lacks; `report` has what it says of its user. */
  acknowledge(lastEventId?: number, report?: Record<string, unknown>): void;
  close(): void;
}

interface Registered {
  queue_id: string;
  last_event_id: number;
}

/** The address of a new connection. */
export const connectionUrl = async (person: Pick<Person, "do">, queueId: string): Promise<string> =>
  (await person.do("POST", "/events/connection", { queue_id: queueId })).url;

/** Whether a WebSocket can be opened at the address. */
export const opens = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.onopen = () => {
      socket.close();
      resolve(true);
    };
    socket.onerror = () => resolve(false);
  });

/** Connects a registered queue; resolves when the server has answered the first message. */
export async function connectQueue(
  person: Pick<Person, "do">,
  { queue_id, last_event_id }: Registered,
  givenUrl?: string,
): Promise<Connection> {
  const url = givenUrl ?? (await connectionUrl(person, queue_id));
  const socket = new WebSocket(url);
  const connection: Connection = {
    ...{ url, messages: [], events: [], seen: last_event_id, closeCode: undefined },
    send: (message) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    acknowledge: (lastEventId = connection.seen, report = {}) =>
      connection.send({ type: "acknowledge", queue_id, last_event_id: lastEventId, ...report }),
    close: () => socket.close(),
  };
  const fetchAll = async (through: number) => {
    while (connection.seen < through) {
      const params = { queue_id, last_event_id: connection.seen, dont_block: true };
      const { events } = await person.do("GET", "/events", params);
      if (events.length === 0) break;
      take(events);
    }
    connection.seen = Math.max(connection.seen, through);
  };
  const take = (events: any[]) => {
    const fresh = events.filter(({ id }) => id > connection.seen);
    connection.events.push(...fresh);
    connection.seen = Math.max(connection.seen, ...fresh.map(({ id }) => id));
  };
  const receive = async (message: any) => {
    if (message.type === "look") await fetchAll(message.through);
    if (message.type !== "events") return;
    if (message.after > connection.seen) return connection.acknowledge();
    take(message.events);
    connection.seen = Math.max(connection.seen, message.through);
  };
  await new Promise<void>((resolve, reject) => {
    socket.onclose = ({ code }) => {
      connection.closeCode = code;
      reject(new Error(`The connection was closed with code ${code}`));
    };
    socket.onerror = () => reject(new Error(`${url} refuses the connection`));
    socket.onopen = () => connection.acknowledge();
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data));
      connection.messages.push(message);
      resolve();
      // A client that cannot fetch what it lacks connects again.
      receive(message).catch(() => socket.close());
    };
  });
  return connection;
}
