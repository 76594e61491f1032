import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { type ContractTarget, caseFor, clientFor, unique } from "./target.ts";

/** What the fleet relies on from Secrets Manager. */
export function secretsContract(target: ContractTarget): void {
  describe("secrets", () => {
    const it = caseFor(target);
    let client: SecretsManagerClient;
    beforeAll(() => {
      client = new SecretsManagerClient(clientFor(target));
    });
    afterAll(() => client.destroy());
    const create = (Name: string) => client.send(new CreateSecretCommand({ Name, SecretString: "first" }));

    it("gives back a secret by its name and by its ARN", async () => {
      const Name = unique("secret");
      const { ARN, VersionId } = await create(Name);

      for (const SecretId of [Name, ARN]) {
        const found = await client.send(new GetSecretValueCommand({ SecretId }));
        expect(found).toMatchObject({ Name, ARN, VersionId, SecretString: "first", VersionStages: ["AWSCURRENT"] });
      }
    });

    it("gives the new value after a change, and the old one as the previous", async () => {
      const SecretId = unique("secret");
      await create(SecretId);
      await client.send(new PutSecretValueCommand({ SecretId, SecretBinary: new Uint8Array([0, 255]) }));

      const current = await client.send(new GetSecretValueCommand({ SecretId }));
      const previous = await client.send(new GetSecretValueCommand({ SecretId, VersionStage: "AWSPREVIOUS" }));

      expect([...current.SecretBinary!]).toEqual([0, 255]);
      expect(previous.SecretString).toBe("first");
      const { VersionIdsToStages } = await client.send(new DescribeSecretCommand({ SecretId }));
      expect(VersionIdsToStages).toEqual({
        [current.VersionId!]: ["AWSCURRENT"],
        [previous.VersionId!]: ["AWSPREVIOUS"],
      });
    });

    it("refuses a second secret of one name", async () => {
      const Name = unique("secret");
      await create(Name);

      await expect(create(Name)).rejects.toBeInstanceOf(ResourceExistsException);
    });

    it("says that a secret does not exist", async () => {
      const SecretId = unique("secret");
      await create(SecretId);
      await client.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));

      await expect(client.send(new GetSecretValueCommand({ SecretId }))).rejects.toBeInstanceOf(
        ResourceNotFoundException,
      );
    });
  });
}
