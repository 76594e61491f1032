declare module "zulip-js" {
  type Call = (params?: Record<string, unknown>) => Promise<any>;
  export interface ZulipClient {
    queues: { register: Call; deregister: Call };
    events: { retrieve: Call };
    messages: { send: Call; retrieve: Call; flags: { add: Call } };
    reactions: { add: Call };
    typing: { send: Call };
    streams: { retrieve: Call; subscriptions: { retrieve: Call } };
    users: { retrieve: Call };
    callEndpoint(endpoint: string, method: string, params?: Record<string, unknown>): Promise<any>;
    callOnEachEvent(callback: (event: any) => void, eventTypes?: string[]): Promise<void>;
  }
  // biome-ignore lint/style/noDefaultExport: it is the package's own form.
  export default function zulip(config: Record<string, string>): Promise<ZulipClient>;
}
