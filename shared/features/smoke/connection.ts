/** Waits for an event at a WebSocket, as clients may. */

const deadlineMs = 30_000;

/** Opens a connection of an event queue, and waits for its answer. Then calls `send`, and waits for an event that contains `text`. */
export async function probeConnection(
  url: string,
  { queueId, lastEventId }: { queueId: string; lastEventId: number },
  { text, send }: { text: string; send(): Promise<unknown> },
): Promise<{ connectedMs: number; receivedMs: number }> {
  const startedAt = performance.now();
  const socket = new WebSocket(url);
  try {
    return await new Promise((resolve, reject) => {
      const fail = (reason: string) => reject(new Error(reason));
      const timer = setTimeout(() => fail(`nothing was received within ${deadlineMs / 1000} s`), deadlineMs);
      let connectedMs: number | undefined;
      let sentAt = 0;
      socket.onerror = () => fail("the connection was refused");
      socket.onclose = ({ code }) => fail(`the connection was closed with code ${code}`);
      socket.onopen = () =>
        socket.send(JSON.stringify({ type: "acknowledge", queue_id: queueId, last_event_id: lastEventId }));
      socket.onmessage = ({ data }) => {
        if (connectedMs === undefined) {
          connectedMs = performance.now() - startedAt;
          send().then(() => {
            sentAt = performance.now();
          }, reject);
        } else if (String(data).includes(text)) {
          clearTimeout(timer);
          // The event may arrive before the answer that tells the sender.
          resolve({ connectedMs, receivedMs: sentAt === 0 ? 0 : performance.now() - sentAt });
        }
      };
    });
  } finally {
    socket.onclose = null;
    socket.close();
  }
}
