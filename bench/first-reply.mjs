/** Imports a function in a process of its own and asks for one reply; plain JavaScript, so that nothing is stripped of types. */
const [file, event] = process.argv.slice(2);
const began = performance.now();
const { handler } = await import(file);
const imported = performance.now();
console.log = () => {};
await handler(JSON.parse(event), { getRemainingTimeInMillis: () => 29_000, functionName: "cold" });
process.stdout.write(`${JSON.stringify({ importMs: imported - began, replyMs: performance.now() - imported })}\n`, () =>
  process.exit(0),
);
