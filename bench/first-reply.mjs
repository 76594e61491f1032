/**
 * Imports a function in a process of its own and calls it once. Plain JavaScript, so that Node spends no time on removing
 * types.
 */
const [file, event] = process.argv.slice(2);
const startedAt = performance.now();
const { handler } = await import(file);
const importedAt = performance.now();
console.log = () => {};
await handler(JSON.parse(event), { getRemainingTimeInMillis: () => 29_000, functionName: "cold" });
process.stdout.write(
  `${JSON.stringify({ importMs: importedAt - startedAt, replyMs: performance.now() - importedAt })}\n`,
  () => process.exit(0),
);
