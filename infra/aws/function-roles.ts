import { createHash } from "node:crypto";
import { Stack } from "aws-cdk-lib";
import { type IRole, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { Uses } from "../../shared/base/uses.ts";
import { keyStatements, type SharedResources, statementsFor } from "./grants.ts";
import type { DeploySettings } from "./settings.ts";

/**
 * The roles of all functions. Functions that may do exactly the same share a role: an account has a thousand roles, and a fleet has
 * hundreds of functions.
 */
export class FunctionRoles extends Construct {
  readonly #shared: SharedResources;
  readonly #everywhere: readonly PolicyStatement[];
  readonly #roles = new Map<string, IRole>();

  constructor(scope: Stack, shared: SharedResources, logs: ILogGroup, { tracing }: DeploySettings) {
    super(scope, "Roles");
    this.#shared = shared;
    const allowLog = new PolicyStatement({
      actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
      resources: [logs.logGroupArn],
    });
    this.#everywhere = [...keyStatements(shared.keyArn), allowLog, ...(tracing ? [allowTraces()] : [])];
  }

  /**
   * The role of a function by what it uses, with a permission that its trigger needs. Its name follows from its policy: a function
   * that may do something else gets another role, and no other function does.
   */
  roleFor(uses: Uses, triggerPermission?: PolicyStatement): IRole {
    const trigger = triggerPermission ? [triggerPermission] : [];
    const statements = [...statementsFor(uses, this.#shared), ...this.#everywhere, ...trigger];
    const policy = Stack.of(this).resolve(statements.map((statement) => statement.toStatementJson()));
    const id = createHash("sha256").update(JSON.stringify(policy)).digest("hex").slice(0, 12);
    const existing = this.#roles.get(id);
    if (existing) return existing;
    const role = new Role(this, id, {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: { uses: new PolicyDocument({ statements }) },
    });
    // The policy is complete; CDK would otherwise add broader ones.
    const complete = role.withoutPolicyUpdates();
    this.#roles.set(id, complete);
    return complete;
  }
}

/** Permission to write traces. X-Ray's actions cannot be restricted to a resource. */
const allowTraces = () =>
  new PolicyStatement({ actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], resources: ["*"] });
