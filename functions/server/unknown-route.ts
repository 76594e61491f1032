import { fallback } from "../../shared/http/fallback.ts";

export const handler = fallback();
