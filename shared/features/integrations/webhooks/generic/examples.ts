import type { Example } from "../../example.ts";

/** Without a template. */
export const examples: Example[] = [
  [{}, { app: "shop", version: "1.2" }, "Generic", '```json\n{\n  "app": "shop",\n  "version": "1.2"\n}\n```'],
];
