/** Every name under which this program stores something on the device. */
export const deviceKeys = {
  /** The specification's record of who is signed in. */
  session: 'dealdeck.session',
  signedOut: 'dealdeck.signed-out',
  /** Read by `public/before-paint.js` too. */
  preferences: 'dealdeck.preferences',
  filtersOpen: 'dealdeck.filters-open',
  /** Of which sources nothing is said any more today. */
  alarms: 'dealdeck.alarms',
  // Of the account that is signed in.
  lastDeals: 'dealdeck.last-deals',
  memberItems: 'dealdeck.member-items',
  takenAlong: 'dealdeck.taken-along',
  searches: 'dealdeck.searches',
  linkSetup: 'dealdeck.link-setup',
  imageList: 'dealdeck.image-list',
  /** Which destination this browser is. */
  push: 'dealdeck.push',
  // Of earlier versions, and whose they are.
  linkPresets: 'dealdeck.link-presets',
  customFilters: 'dealdeck.custom-filters',
  deviceEntriesOwner: 'dealdeck.device-entries-owner',
  // Of one tab, for as long as it is open.
  scrollPositions: 'dealdeck.places',
  reloadedFor: 'dealdeck.reloaded-for',
} as const

/** A name of the table, or that of a user's profile. */
export type DeviceKey = (typeof deviceKeys)[keyof typeof deviceKeys] | `dealdeck.profile.${number}`

/** What the account that signs out leaves behind on the device is nobody else's to read. */
export const accountKeys = [
  deviceKeys.lastDeals,
  deviceKeys.memberItems,
  deviceKeys.takenAlong,
  deviceKeys.searches,
  deviceKeys.linkSetup,
  deviceKeys.imageList,
  deviceKeys.push,
]
