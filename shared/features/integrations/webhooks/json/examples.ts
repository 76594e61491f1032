import type { Example } from "../../example.ts";

export const examples: Example[] = [
  [
    {},
    { app: "shop", version: "1.2", ok: true },
    "JSON",
    '```json\n{\n  "app": "shop",\n  "version": "1.2",\n  "ok": true\n}\n```',
  ],
];
