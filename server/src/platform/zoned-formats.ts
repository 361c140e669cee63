import { BoundedMap } from './bounded-map.ts'

/** More than there are zones, but a name may be written in ever other ways, in small letters or large ones. */
const mostZones = 1_000

/**
 * Formats of these options by time zone, each made once: that takes a hundred times as long as to use it. Zones come and go with releases
 * of Node; of one that is gone it is the format of UTC.
 */
export function zonedFormats(
  locale: string,
  options: Intl.DateTimeFormatOptions,
): (zone: string) => Intl.DateTimeFormat {
  const formats = new BoundedMap<string, Intl.DateTimeFormat>(mostZones)
  const make = (timeZone: string) => new Intl.DateTimeFormat(locale, { ...options, timeZone })
  return (zone) => {
    const known = formats.get(zone)
    if (known) return known
    let format: Intl.DateTimeFormat
    try {
      format = make(zone)
    } catch {
      format = make('UTC')
    }
    formats.set(zone, format)
    return format
  }
}
