import { front } from "../support/front.ts";
import { pythonCases } from "./python-cases.ts";

pythonCases(front);
