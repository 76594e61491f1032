/** The table's keys and indexes, as plain data: the AWS stack and the local host create it from here. All keys are strings. */
export const tableShape = {
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: "expiresAt",
  indexes: [
    { name: "gsi1", partitionKey: "gsi1pk", sortKey: "gsi1sk", projection: "ALL" },
    { name: "gsi2", partitionKey: "gsi2pk", sortKey: "gsi2sk", projection: "ALL" },
    { name: "gsi3", partitionKey: "gsi3pk", sortKey: "gsi3sk", projection: "KEYS_ONLY" },
  ],
} as const;
