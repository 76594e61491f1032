import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { compileFunction } from "node:vm";

/**
 * Runs n8n's Zulip node, unchanged. Its package has hundreds of other nodes and needs what they need, so only the
 * files of this node are kept. What n8n gives to a node is here, as n8n does it.
 */

const run = promisify(execFile);
const version = "2.41.2";
const folder = join(import.meta.dirname, "../../../.cache/clients", `n8n-nodes-base-${version}`);
const names = ["Zulip.node", "GenericFunctions", "MessageDescription", "StreamDescription", "UserDescription"];

/** Installs under a temporary name first, so that an interrupted installation is not used. */
async function install(): Promise<void> {
  if (existsSync(folder)) return;
  const unfinished = `${folder}-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const { stdout } = await run("npm", ["pack", "--silent", `n8n-nodes-base@${version}`], { cwd: unfinished });
  const files = names.map((name) => `package/dist/nodes/Zulip/${name}.js`);
  await run("tar", ["xzf", stdout.trim(), ...files], { cwd: unfinished });
  rmSync(join(unfinished, stdout.trim()));
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

/** The modules outside its folder that the node imports. */
const outside: Record<string, object> = {
  "n8n-workflow": {
    NodeConnectionTypes: { Main: "main" },
    NodeApiError: class extends Error {
      constructor(_node: object, reply: { body: { msg: string } }) {
        super(reply.body.msg);
      }
    },
    NodeOperationError: Error,
  },
  "change-case": { snakeCase: (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) },
};

function load(file: string): any {
  const module = { exports: {} };
  const code = compileFunction(readFileSync(file, "utf8"), ["require", "module", "exports"], { filename: file });
  code((name: string) => outside[name] ?? load(join(dirname(file), `${name}.js`)), module, module.exports);
  return module.exports;
}

interface NodeRequest {
  method: string;
  uri: string;
  auth: { user: string; password: string };
  headers: Record<string, string>;
  form?: Record<string, string>;
  formData?: { file: { value: Buffer; options: { filename: string; contentType: string } } };
}

/** n8n sends the form of a GET in its body, and the header of a form without any. */
async function send({ method, uri, auth, headers, form, formData }: NodeRequest): Promise<any> {
  const multipart = new FormData();
  if (formData) {
    const { value, options } = formData.file;
    multipart.append("file", new Blob([new Uint8Array(value)], { type: options.contentType }), options.filename);
  }
  const encoded = new Response(formData ? multipart : new URLSearchParams(form));
  const body = Buffer.from(await encoded.arrayBuffer());
  const outgoing = request(uri, {
    method,
    headers: {
      ...headers,
      ...(formData && { "Content-Type": encoded.headers.get("content-type") as string }),
      accept: "application/json, */*",
      "content-length": body.length,
      authorization: `Basic ${Buffer.from(`${auth.user}:${auth.password}`).toString("base64")}`,
    },
  });
  return new Promise((resolve, reject) => {
    outgoing.once("error", reject);
    outgoing.once("response", async (response) => {
      const reply = { status: response.statusCode as number, body: JSON.parse(await text(response)) };
      if (reply.status === 200) resolve(reply.body);
      else reject(reply);
    });
    outgoing.end(body);
  });
}

interface N8n {
  /** Runs an operation of the node with the values of its fields, and returns the items that the next node gets. */
  execute(resource: string, operation: string, fields?: object): Promise<any[]>;
  /** What a field of the node's dialog offers. */
  options(load: "getStreams" | "getTopics" | "getUsers", fields?: object): Promise<{ name: string; value: unknown }[]>;
}

/** The node with the credentials that a user of n8n enters. */
export async function n8nNode(
  credentials: { url: string; email: string; apiKey: string },
  file?: Buffer,
): Promise<N8n> {
  await install();
  const node = new (load(join(folder, "package/dist/nodes/Zulip/Zulip.node.js")).Zulip)();
  const context = (fields: any) => ({
    getInputData: () => [{}],
    getNodeParameter: (name: string) => fields[name],
    getCurrentNodeParameter: (name: string) => fields[name],
    getCredentials: async () => credentials,
    getNode: () => ({}),
    continueOnFail: () => false,
    helpers: {
      request: send,
      assertBinaryData: () => ({ fileName: "prompt-book.txt", mimeType: "text/plain" }),
      getBinaryDataBuffer: async () => file,
      returnJsonArray: (data: any) => [data].flat().map((json) => ({ json })),
      constructExecutionMetaData: (items: object[]) => items,
    },
  });
  return {
    execute: async (resource, operation, fields = {}) => {
      const [items] = await node.execute.call(context({ resource, operation, additionalFields: {}, ...fields }));
      return items.map(({ json }: any) => json);
    },
    options: (name, fields = {}) => node.methods.loadOptions[name].call(context(fields)),
  };
}
