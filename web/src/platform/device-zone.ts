/** The zone of this device, such as Europe/Berlin. */
export const deviceZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
