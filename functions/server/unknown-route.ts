import { fallback } from "../../shared/services/http/fallback.ts";

export const handler = fallback();
