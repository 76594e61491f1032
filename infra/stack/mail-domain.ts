import { DescribeActiveReceiptRuleSetCommand, SESClient, SetActiveReceiptRuleSetCommand } from "@aws-sdk/client-ses";
import { CreateEmailIdentityCommand, GetEmailIdentityCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import { type DeploySettings, mailRuleName, ownRuleSet } from "../aws/settings.ts";
import { RefusedError } from "../program.ts";

type Settings = Pick<DeploySettings, "mailDomain">;

/**
 * Opens the domain for mail, as far as CloudFormation cannot: makes the fleet's receipt rule set the active one if no other is, and has
 * SES verify the domain. Returns what is left for the operator to do. An account has one active rule set in each region, which may
 * belong to somebody else: that one is left alone.
 */
export async function openMailDomain(
  { mailDomain }: Settings,
  { MailRuleSet: ruleSet }: Record<string, string>,
): Promise<string[]> {
  if (!mailDomain || !ruleSet) return [];
  const receiving = new SESClient({});
  const active = await findActiveRuleSet(receiving);
  if (active === undefined) await receiving.send(new SetActiveReceiptRuleSetCommand({ RuleSetName: ruleSet }));
  const region = await receiving.config.region();
  return [
    ...(active === undefined || active === ruleSet
      ? []
      : [
          `SES does not receive mail for the fleet, because another receipt rule set is active in ${region}. Set mailRuleSet to ${active} and deploy again, which adds the fleet's rule to it.`,
        ]),
    `Create these DNS records for incoming email: ${(await recordsOf(mailDomain, region)).join("; ")}.`,
  ];
}

/**
 * Deactivates the fleet's own receipt rule set if it is active: CloudFormation cannot delete an active one. No mail to the domain is
 * received from then on. Refuses to if others have added rules to it, which would receive nothing any more.
 */
export async function closeMailDomain(
  fleet: string,
  { MailRuleSet: ruleSet }: Record<string, string> = {},
): Promise<void> {
  if (ruleSet !== ownRuleSet(fleet)) return;
  const receiving = new SESClient({});
  const { Metadata, Rules = [] } = await receiving.send(new DescribeActiveReceiptRuleSetCommand({}));
  if (Metadata?.Name !== ruleSet) return;
  const others = Rules.flatMap(({ Name = "" }) => (Name === mailRuleName(fleet) ? [] : [Name]));
  if (others.length > 0)
    throw new RefusedError([
      `the active receipt rule set ${ruleSet} has other rules than the fleet's: ${others.join(", ")}. Move them to another rule set, activate that one, and run this command again. If a rule is another fleet's, set the mailRuleSet of that fleet to the other rule set and deploy it`,
    ]);
  await receiving.send(new SetActiveReceiptRuleSetCommand({}));
}

const findActiveRuleSet = async (client: SESClient): Promise<string | undefined> =>
  (await client.send(new DescribeActiveReceiptRuleSetCommand({}))).Metadata?.Name;

/** The records by which mail servers find the domain and believe what the fleet sends from it. */
async function recordsOf(domain: string, region: string): Promise<string[]> {
  const identity = await identityOf(domain);
  const keys = identity.map((token) => `${token}._domainkey.${domain} CNAME ${token}.dkim.amazonses.com`);
  return [
    `${domain} MX 10 inbound-smtp.${region}.amazonaws.com`,
    ...keys,
    `${domain} TXT "v=spf1 include:amazonses.com ~all" (a domain has one SPF record: merge with an existing one)`,
    `_dmarc.${domain} TXT "v=DMARC1; p=quarantine"`,
  ];
}

/** The DKIM tokens of the domain's identity in SES, which is created unless it exists. SES receives only for verified domains. */
async function identityOf(EmailIdentity: string): Promise<string[]> {
  const client = new SESv2Client({});
  const found = await client.send(new GetEmailIdentityCommand({ EmailIdentity })).catch((error: Error) => {
    if (error.name !== "NotFoundException") throw error;
    return undefined;
  });
  const { DkimAttributes } = found ?? (await client.send(new CreateEmailIdentityCommand({ EmailIdentity })));
  return DkimAttributes?.Tokens ?? [];
}
