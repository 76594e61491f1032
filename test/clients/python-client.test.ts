import { front } from "../support/hosts/public-address.ts";
import { pythonCases } from "./python-cases.ts";

pythonCases(front);
