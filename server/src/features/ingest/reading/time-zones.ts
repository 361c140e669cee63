/** Abbreviations that mean one offset from UTC wherever the shops are, in minutes; those that mean several are left out. */
const offsets = new Map(
  Object.entries({
    ...{
      Z: 0,
      UTC: 0,
      GMT: 0,
      WET: 0,
      WEST: 60,
      BST: 60,
      CET: 60,
      CEST: 120,
      MEZ: 60,
      MESZ: 120,
      EET: 120,
      EEST: 180,
    },
    ...{
      SAST: 120,
      MSK: 180,
      TRT: 180,
      GST: 240,
      IST: 330,
      SGT: 480,
      HKT: 480,
      AWST: 480,
      JST: 540,
      KST: 540,
    },
    ...{ ACST: 570, ACDT: 630, AEST: 600, AEDT: 660, NZST: 720, NZDT: 780, BRT: -180, ADT: -180 },
    ...{ EDT: -240, EST: -300, CDT: -300, CST: -360, MDT: -360, MST: -420, PDT: -420, PST: -480, AKDT: -480 },
    ...{ AKST: -540, HST: -600 },
  }),
)
/** Names of zones whose offset depends on the day. */
const regions = new Map(
  Object.entries({
    ET: 'America/New_York',
    CT: 'America/Chicago',
    MT: 'America/Denver',
    PT: 'America/Los_Angeles',
  }),
)
/** The farthest zone is 14 hours from UTC. */
const farthest = 14 * 60

/**
 * Minutes east of UTC that a zone is on a day: `Z`, `+05:45`, `GMT+2`, `PST`, `PT` or `Europe/Berlin`. Null for one that
 * isn't known. `local` is the time there, in milliseconds as if it were UTC.
 */
export function offsetOf(zone: string, local: number): number | null {
  if (zone === 'Z' || zone === '+00:00') return 0
  const numeric = /^(?:GMT|UTC)?([+-])(\d\d?)(?::?(\d\d))?$/i.exec(zone)
  if (numeric) {
    const [, sign, hours, minutes = '0'] = numeric
    const offset = Number(hours) * 60 + Number(minutes)
    if (offset > farthest || Number(minutes) > 59) return null
    return sign === '-' ? -offset : offset
  }
  const known = offsets.get(zone.toUpperCase())
  if (known !== undefined) return known
  const region = regions.get(zone.toUpperCase()) ?? (zone.includes('/') ? zone : undefined)
  return region === undefined ? null : offsetIn(region, local)
}

/** By the names of their zones: making one takes long, and there are a few hundred zones. */
const formats = new Map<string, Intl.DateTimeFormat>()

function offsetIn(timeZone: string, local: number): number | null {
  const name = timeZone.toLowerCase()
  let format = formats.get(name)
  try {
    format ??= new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  } catch {
    return null
  }
  formats.set(name, format)
  // Asked again with what it says: near a change of the clocks the first answer may be off.
  return offsetAt(format, local - offsetAt(format, local) * 60_000)
}

function offsetAt(format: Intl.DateTimeFormat, moment: number): number {
  const name = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
}
