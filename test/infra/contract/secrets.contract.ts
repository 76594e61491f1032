import {
  CreateSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { type ContractTarget, caseFor, clientFor, unique } from "./target.ts";

/** The behaviour of Secrets Manager on which the fleet relies. */
export function secretsContract(target: ContractTarget): void {
  describe("secrets", () => {
    const it = caseFor(target);
    let client: SecretsManagerClient;
    beforeAll(() => {
      client = new SecretsManagerClient(clientFor(target));
    });
    afterAll(() => client.destroy());
    const create = (Name: string) => client.send(new CreateSecretCommand({ Name, SecretString: "first" }));

    it("returns a secret by its name and by its ARN", async () => {
      const Name = unique("secret");
      const { ARN, VersionId } = await create(Name);

      for (const SecretId of [Name, ARN]) {
        const found = await client.send(new GetSecretValueCommand({ SecretId }));
        expect(found).toMatchObject({ Name, ARN, VersionId, SecretString: "first", VersionStages: ["AWSCURRENT"] });
      }
    });

    it("refuses a second secret with the same name", async () => {
      const Name = unique("secret");
      await create(Name);

      await expect(create(Name)).rejects.toBeInstanceOf(ResourceExistsException);
    });

    it("reports a nonexistent secret", async () => {
      const SecretId = unique("secret");

      for (const command of [new GetSecretValueCommand({ SecretId }), new DescribeSecretCommand({ SecretId })])
        await expect(client.send(command as GetSecretValueCommand)).rejects.toBeInstanceOf(ResourceNotFoundException);
    });
  });
}
