import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

/** The reference page: Swagger UI as its makers pack it, started on this host's own OpenAPI document. */

const renderer = (file: string) =>
  readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`), "utf8").replace(
    /\n(\/\/|\/\*)# sourceMappingURL=.*\s*$/,
    "\n",
  );

const own = (file: string) => readFileSync(resolve(join(import.meta.dirname, file)), "utf8");

/** The page's program. */
export const pageScript = () => `${renderer("swagger-ui-bundle.js")}\n${own("start-page.js")}`;

/** The page's style sheet. */
export const pageStyle = () => renderer("swagger-ui.css");

/** The page, which names the versions of its parts so that browsers may keep them. */
export const pageHtml = (versions: { script: string; style: string }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Skein API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/reference/reference.css?v=${versions.style}">
<script src="/reference/reference.js?v=${versions.script}" defer></script>
</head>
<body>
<noscript>This page needs JavaScript. The same reference for programs is <a href="/api/v1/openapi.json">openapi.json</a>.</noscript>
<div id="reference"></div>
</body>
</html>
`;
