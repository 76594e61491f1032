export const secondsPerDay = 86_400;

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
