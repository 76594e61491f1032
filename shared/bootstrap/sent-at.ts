/** `-3d 09:15`: so many days before the organization is created, at a time of day where it is created. */
export const sentPattern = /^-([1-9]\d{0,3})d ([01]\d|2[0-3]):([0-5]\d)$/;

/** The time in UNIX seconds that a text like `-3d 09:15` names. */
export function sentAtOf(sent: string, now: Date): number {
  const [, days, hours, minutes] = sentPattern.exec(sent) ?? [];
  const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() - Number(days), Number(hours), Number(minutes));
  return Math.floor(at.getTime() / 1000);
}
