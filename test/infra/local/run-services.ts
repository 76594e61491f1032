// A program that a test can kill: serves what answers in place of AWS, and prints where it takes calls and where links lead.
import { startServices } from "../../../infra/local/aws/services.ts";
import { serveAwsCalls } from "../../support/hosts/aws-calls.ts";

const services = await startServices({ dataFolder: process.argv[2] ?? "" });
// Keeps the process running.
process.stdin.resume();
console.log(await serveAwsCalls(services.answer));
