/**
 * Matches a relative time such as `-3d 09:15`: three days before the organization is created, at this time of day in the
 * process's time zone.
 */
export const sentPattern = /^-([1-9]\d{0,3})d ([01]\d|2[0-3]):([0-5]\d)$/;

/** Converts a relative time to UNIX seconds. */
export function sentAtOf(sent: string, now: Date): number {
  const [, days, hours, minutes] = sentPattern.exec(sent) ?? [];
  const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() - Number(days), Number(hours), Number(minutes));
  return Math.floor(at.getTime() / 1000);
}
