/** The account and the region in the names of what a host provides. */
export const account = "000000000000";
export const region = "us-east-1";
