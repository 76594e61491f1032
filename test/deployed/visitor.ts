import { request } from "node:http";
import type { MiniStack } from "../../infra/ministack/ministack.ts";

export interface Answer {
  status: number;
  text: string;
  body: any;
}

interface Login {
  username: string;
  password: string;
}

const owner: Login = { username: "owner@globe.test", password: "all-the-world-is-a-stage" };

/** Calls a deployed fleet as the organization's owner, or as somebody else, over HTTP alone. */
export class Visitor {
  readonly #url: string;
  readonly #host: string;
  readonly #login: Login;
  key = "";

  constructor({ url, port }: MiniStack, apiId: string, login = owner) {
    this.#url = url;
    this.#host = `${apiId}.execute-api.localhost:${port}`;
    this.#login = login;
  }

  async logIn(): Promise<void> {
    const { body, text } = await this.call("POST", "/api/v1/fetch_api_key", { ...this.#login });
    if (!body.api_key) throw new Error(`${this.#login.username} cannot log in: ${text}`);
    this.key = body.api_key;
  }

  /** Sends parameters as a form, or in the query for GET; a string is sent unchanged, with the content type `type`. */
  call(method: string, path: string, params: Record<string, string> | string = {}, type?: string): Promise<Answer> {
    const content = typeof params === "string" ? params : String(new URLSearchParams(params));
    const inQuery = method === "GET";
    const url = new URL(this.#url + path + (inQuery && content ? `?${content}` : ""));
    const headers = {
      host: this.#host,
      ...(this.key && {
        authorization: `Basic ${Buffer.from(`${this.#login.username}:${this.key}`).toString("base64")}`,
      }),
      ...(!inQuery && { "content-type": type ?? "application/x-www-form-urlencoded" }),
    };
    return new Promise((done, fail) => {
      const outgoing = request(url, { method, headers }, async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        done({ status: response.statusCode ?? 0, text, body: parsed(text) });
      });
      outgoing.once("error", fail);
      outgoing.end(inQuery ? undefined : content);
    });
  }
}

function parsed(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
