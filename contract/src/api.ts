import { adminRoutes } from './admin.ts'
import { alertRoutes } from './alerts.ts'
import { auditRoutes } from './audit.ts'
import { blacklistRoutes } from './blacklist.ts'
import { dealRoutes, plainDealRoutes } from './deals.ts'
import { deliveryRoutes } from './deliveries.ts'
import { filterRoutes, plainFilterRoutes } from './filters.ts'
import { homeRoutes } from './home.ts'
import { imageRoutes } from './images.ts'
import { ingestRoutes, plainIngestRoutes } from './ingest.ts'
import { linkRoutes } from './links.ts'
import { meRoutes } from './me.ts'
import { priceRoutes } from './prices.ts'
import { profileRoutes } from './profile.ts'
import { quarantineRoutes } from './quarantine.ts'
import { searchRoutes } from './searches.ts'
import { sessionRoutes } from './session.ts'
import { settingsRoutes } from './settings.ts'
import { sourceRoutes } from './sources.ts'
import { userRoutes } from './users.ts'

/** Routes the contract's handler answers. */
export const handledContract = {
  session: sessionRoutes,
  admin: adminRoutes,
  alerts: alertRoutes,
  audit: auditRoutes,
  blacklist: blacklistRoutes,
  deals: dealRoutes,
  deliveries: deliveryRoutes,
  filters: filterRoutes,
  home: homeRoutes,
  images: imageRoutes,
  ingest: ingestRoutes,
  links: linkRoutes,
  me: meRoutes,
  prices: priceRoutes,
  profile: profileRoutes,
  quarantine: quarantineRoutes,
  searches: searchRoutes,
  settings: settingsRoutes,
  sources: sourceRoutes,
  users: userRoutes,
}

/** Everything a client can call. */
export const contract = {
  ...handledContract,
  deals: { ...dealRoutes, ...plainDealRoutes },
  filters: { ...filterRoutes, ...plainFilterRoutes },
  ingest: { ...ingestRoutes, ...plainIngestRoutes },
}
