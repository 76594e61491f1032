import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

/** The API reference page: the packaged Swagger UI, with this host's OpenAPI document. */

const renderer = (file: string) =>
  readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`), "utf8").replace(
    /\n(\/\/|\/\*)# sourceMappingURL=.*\s*$/,
    "\n",
  );

const own = (file: string) => readFileSync(resolve(join(import.meta.dirname, file)), "utf8");

export const pageScript = () => `${renderer("swagger-ui-bundle.js")}\n${own("start-page.js")}`;

export const pageStyle = () => renderer("swagger-ui.css");

/** The page; it names the versions of its script and style sheet, so that browsers may cache them. */
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
