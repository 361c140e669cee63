import { handledContract } from '@dealdeck/contract/api'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { adminHandlers } from './features/admin/routes.ts'
import { sendingRules } from './features/alerts/actions.ts'
import { followForAlerts, matchForgetting } from './features/alerts/jobs.ts'
import { alertHandlers } from './features/alerts/routes.ts'
import { auditHandlers } from './features/audit/routes.ts'
import { blacklistHandlers } from './features/blacklist/routes.ts'
import {
  dealEnding,
  dealIndexing,
  dealJsonRefreshing,
  eventPruning,
  originalClearing,
} from './features/deals/jobs.ts'
import { DealSearch } from './features/deals/memory/deal-search.ts'
import { dealHandlers, registerDealRoutes } from './features/deals/routes.ts'
import { dealAsker, dealCounter } from './features/deals/searching/answers.ts'
import { DealStream } from './features/deals/stream.ts'
import { type DestinationDeps, destinationDeps } from './features/deliveries/destinations/destination-deps.ts'
import { deliveryPruning, groupPostMarking } from './features/deliveries/jobs.ts'
import { registerUnsubscribeRoutes } from './features/deliveries/kinds/email/unsubscribe-routes.ts'
import { TelegramBot } from './features/deliveries/kinds/telegram/bot.ts'
import { publishDestination, relayDeliveries } from './features/deliveries/live.ts'
import { deliveryHandlers } from './features/deliveries/routes.ts'
import { Outbox } from './features/deliveries/sending/outbox.ts'
import { type GivenDeps, outboxDeps } from './features/deliveries/sending/outbox-deps.ts'
import { sendDelivery } from './features/deliveries/sending/send-delivery.ts'
import { pageNews } from './features/deliveries/sending/telling.ts'
import { relayFilters } from './features/filters/live.ts'
import { filterHandlers, registerFilterRoutes } from './features/filters/routes.ts'
import { heartbeats } from './features/home/jobs.ts'
import { homeHandlers } from './features/home/routes.ts'
import { imageHandlers } from './features/images/routes.ts'
import { findToken } from './features/ingest/queries.ts'
import { FairSemaphore, importRulesFor, previewRules } from './features/ingest/reading/fair-semaphore.ts'
import { ingestHandlers, registerIngestRoutes } from './features/ingest/routes.ts'
import { linkHandlers } from './features/links/routes.ts'
import { relayMemberItems } from './features/me/live.ts'
import { meHandlers } from './features/me/routes.ts'
import { followDeals, verdictMarking, verdictRefreshing } from './features/prices/jobs.ts'
import { priceHandlers } from './features/prices/routes.ts'
import { profileHandlers } from './features/profile/routes.ts'
import { quarantineHandlers } from './features/quarantine/routes.ts'
import { NewCounts } from './features/searches/counting/new-counts.ts'
import { RecentDeals } from './features/searches/counting/recent-deals.ts'
import { searchPurging } from './features/searches/jobs.ts'
import { relaySearches } from './features/searches/live.ts'
import { registerFeedRoutes, searchHandlers } from './features/searches/routes.ts'
import { sessionSweeping } from './features/session/jobs.ts'
import { hashGate } from './features/session/passwords.ts'
import { sessionHandlers } from './features/session/routes.ts'
import { quarantineTidying, sourceRunJob, sourceRuns, staleDealHiding } from './features/sources/jobs.ts'
import { relaySources } from './features/sources/live.ts'
import { sourceHandlers } from './features/sources/routes.ts'
import { type SourceDeps, sourceDeps } from './features/sources/running/source-deps.ts'
import { userHandlers } from './features/users/routes.ts'
import { BuiltInAccounts } from './platform/accounts/built-in-accounts.ts'
import { KnownDevices } from './platform/accounts/known-devices.ts'
import { Sessions, sessionsChannel } from './platform/accounts/sessions.ts'
import { SignInThrottle } from './platform/accounts/sign-in-throttle.ts'
import { databaseEventOf } from './platform/database/database-watch.ts'
import type { AppDeps } from './platform/deps.ts'
import { enforceAccess } from './platform/http/access.ts'
import { mountContract } from './platform/http/contract-routes.ts'
import { FeedCache } from './platform/http/feed-cache.ts'
import { refuseForeignHosts } from './platform/http/hosts.ts'
import { answerErrors, answerUnread } from './platform/http/http-errors.ts'
import { registerApiDocs } from './platform/http/openapi.ts'
import { noteProxies } from './platform/http/proxy-notice.ts'
import { settingsHandlers } from './platform/http/public-settings.ts'
import { answerRequestIds, requestIds } from './platform/http/request-ids.ts'
import { sendSecurityHeaders } from './platform/http/security-headers.ts'
import { finishRequests } from './platform/http/shutdown.ts'
import { JobRunner } from './platform/jobs/job-runner.ts'
import { boundConnections, quietMs } from './platform/limits/connections.ts'
import { MemberGate } from './platform/limits/member-gate.ts'
import { limitRequests, ReadGates, restMs, takeViewTurn } from './platform/limits/read-gates.ts'
import { cutOffSlowClients, headersMs } from './platform/limits/slow-clients.ts'
import { registerEventRoutes } from './platform/live/event-routes.ts'
import { LiveBus } from './platform/live/live-bus.ts'
import { PeerLoad } from './platform/live/peers.ts'
import { endStreamsWithTheirSessions } from './platform/live/stream-sessions.ts'
import { registerHealthRoutes } from './platform/observing/health.ts'
import { Metrics } from './platform/observing/metrics.ts'
import { firstScreen } from './platform/web/first-screens.ts'
import { registerWeb } from './platform/web/web.ts'

/** What an ordinary request body may weigh, in bytes; imports stream past this limit. */
const bodyLimit = 64 * 1024

/**
 * The whole application, ready to listen: every plugin and feature is named here, nothing is loaded by itself.
 * `sources` and `deliveries` replace some of what these ask others, and send, with.
 * Closing it ends the live streams, lets requests finish and ends the bus; the databases stay the caller's.
 */
export async function buildApp(
  deps: AppDeps & { sources?: Partial<SourceDeps>; deliveries?: Partial<DestinationDeps & GivenDeps> },
): Promise<FastifyInstance> {
  const { databases, settings, clock, log } = deps
  // Named as Fastify's own type, so that the instance keeps its default shape.
  const loggerInstance: FastifyBaseLogger = log
  const app = Fastify({
    loggerInstance,
    bodyLimit,
    // They are believed about the caller's address; nobody else is.
    trustProxy: settings.TRUSTED_PROXIES,
    genReqId: requestIds(settings.TRUSTED_PROXIES),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    http: {
      ...{ headersTimeout: headersMs, connectionsCheckingInterval: 5_000 },
      // A header given twice counts as both, not as the first of them, and who leaves Host out is answered by us.
      ...{ joinDuplicateHeaders: true, requireHostHeader: false },
    },
    connectionTimeout: quietMs,
    // Who asks on a persistent connection is answered to the last, with a header that closes it.
    return503OnClosing: false,
    // Addresses and bytes the router or the parser refuses never reach the error handler.
    ...answerUnread(settings.PUBLIC_URL),
    routerOptions: { maxParamLength: 200 },
  })
  const bus = new LiveBus(databases, log, deps.databaseSilenceMs)
  const sessions = new Sessions(databases, clock, bus)
  const peers = new PeerLoad(databases, bus)
  const stream = new DealStream(databases, bus, peers)
  const throttle = new SignInThrottle(databases, bus)
  const metrics = new Metrics()
  const pages = new FeedCache()
  const gates = new ReadGates(peers, databases)
  const links = new MemberGate({ name: 'links', total: 4, perMember: 1, queue: 8, restMs })
  const ownChanges = new MemberGate({ name: 'own changes', total: 2, perMember: 1, queue: 8 })
  // One of the connections by which members are known is used for secrets of feeds at most.
  const feeds = new MemberGate({ name: 'feeds', total: 1, perMember: 1, queue: 500 })
  const tries = new MemberGate({ name: 'tries', total: 4, perMember: 1, queue: 2 })
  const sources = sourceDeps(deps, deps.sources)
  const deliveryTries = new MemberGate({ name: 'delivery tries', total: 8, perMember: 1, queue: 2 })
  const newCounts = new NewCounts(new RecentDeals(databases, () => stream.trustedStamp()))
  const importRules = importRulesFor(databases.patientPool.options.max)
  const turns = {
    imports: new FairSemaphore(importRules, peers),
    previews: new FairSemaphore(previewRules, peers),
  }
  const builtIn = new BuiltInAccounts(databases, deps.builtInAccounts ?? [])
  // Whoever's account changes loses sessions, so this channel reports every change that matters here.
  bus.on(sessionsChannel, () => void builtIn.refresh())
  bus.onConnect(() => void builtIn.refresh())
  databases.watch.onChange.add((state) =>
    stream.broadcastEphemeral({ event: 'database', data: databaseEventOf(state) }),
  )
  relayFilters(databases, bus, stream, (version) =>
    stream.broadcastEphemeral({ event: 'filters', data: { version } }),
  )
  relayMemberItems(bus, stream)
  const relays = [relaySearches(bus, stream), relayDeliveries(bus, stream)]

  boundConnections(app)
  answerErrors(app)
  answerRequestIds(app)
  noteProxies(app, settings)
  // Many clients call every body JSON, also the one a DELETE doesn't have.
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null, undefined) : parseJson(request, String(body), done),
  )
  cutOffSlowClients(app)
  await app.register(cookie)
  sendSecurityHeaders(app, settings.PUBLIC_URL)
  await app.register(compress, { threshold: 1024, encodings: ['br', 'gzip'] })
  refuseForeignHosts(app, settings)
  const requests = limitRequests({ peers })
  const identify = enforceAccess(app, {
    ...{ sessions, limit: requests.hook },
    findToken: (token) => findToken(databases, token),
    publicOrigin: settings.PUBLIC_URL === '' ? undefined : new URL(settings.PUBLIC_URL).origin,
  })

  registerHealthRoutes(app, deps, metrics)
  registerApiDocs(app, settings.PUBLIC_URL)
  registerEventRoutes(app, stream, databases.watch)
  const search = new DealSearch(databases, bus, log, () => stream.trustedStamp())
  registerDealRoutes(app, deps, stream, pages, gates, search)
  await registerFilterRoutes(app, deps)
  await registerIngestRoutes(app, deps, { metrics, sessions, bus, turns })
  const shop = { marketplace: settings.MARKETPLACE, affiliateTag: settings.AFFILIATE_TAG }
  const ask = dealAsker(databases, shop, search)
  const count = dealCounter(databases, search)
  const groupPosts = groupPostMarking(deps)
  const sending = outboxDeps(deps, {
    ...{ ...sendingRules, tell: pageNews(databases), onGroupPost: groupPosts.note },
    ...deps.deliveries,
  })
  const send = (id: number, signal: AbortSignal) => sendDelivery(sending, id, signal)
  const destinations = destinationDeps({ ...deps, ask, send }, deps.deliveries)
  const handlers = {
    session: sessionHandlers(deps, sessions, throttle, new KnownDevices(databases), builtIn, metrics),
    admin: adminHandlers(deps),
    alerts: alertHandlers({ ...deps, ask, count }, ownChanges, gates.searches),
    audit: auditHandlers(deps),
    blacklist: blacklistHandlers(deps),
    deals: dealHandlers(deps, stream, search),
    deliveries: deliveryHandlers(destinations, ownChanges, deliveryTries),
    filters: filterHandlers(deps),
    home: homeHandlers(deps),
    images: imageHandlers(deps),
    ingest: ingestHandlers(deps),
    links: linkHandlers(deps, links),
    me: meHandlers(deps, ownChanges),
    prices: priceHandlers(deps),
    profile: profileHandlers(deps, throttle),
    quarantine: quarantineHandlers(deps),
    searches: searchHandlers(deps, ownChanges, newCounts),
    settings: settingsHandlers(settings),
    sources: sourceHandlers(sources, tries),
    users: userHandlers(deps, sessions, builtIn),
  }
  const feedDeps = { ...deps, ask, searches: gates.searches, trustedStamp: () => stream.trustedStamp() }
  registerFeedRoutes(app, feedDeps, feeds)
  registerUnsubscribeRoutes(app, deps, feeds)
  mountContract(app, handledContract, handlers, gates)
  await registerWeb(app, {
    folder: deps.webFolder,
    publicUrl: settings.PUBLIC_URL,
    takeTurn: (reply, signal) => takeViewTurn(gates, identify, reply, signal),
    screenOf: firstScreen,
  })

  // Every kind of work in the background; a process with WORKERS=off leaves it to others.
  const heartbeat = heartbeats(deps)
  const pruning = eventPruning(deps)
  const kinds = [
    heartbeat.kind,
    sessionSweeping(deps),
    searchPurging(deps),
    pruning.kind,
    dealEnding(deps),
    originalClearing(deps),
    dealJsonRefreshing(deps),
    dealIndexing(deps),
    verdictMarking(deps),
    verdictRefreshing(deps),
    sourceRuns(sources),
    quarantineTidying(deps),
    staleDealHiding(deps),
    matchForgetting(deps),
    deliveryPruning(deps),
    groupPosts.kind,
  ]
  const jobs = settings.WORKERS === 'on' ? new JobRunner(databases, kinds, log) : undefined
  const verdicts = jobs && followDeals({ ...deps, bus }, () => void jobs.wake('price-verdicts'))
  const alerts = jobs && followForAlerts({ ...deps, bus })
  const bot = jobs && new TelegramBot({ ...deps, changed: (id) => publishDestination(databases, id) })
  const outbox = jobs && new Outbox(sending, bus)
  relaySources(bus, stream, () => void jobs?.wake(sourceRunJob))
  const streamSessions = endStreamsWithTheirSessions(sessions, stream)
  // Being up means being there to be asked.
  app.addHook('onListen', async () => {
    void verdicts?.begin()
    void alerts?.begin()
    jobs?.start()
    bot?.begin()
    outbox?.start()
    if (settings.SEARCH_INDEX === 'on') search.start()
  })
  metrics.watch({
    ...{ databases, bus, pages, search },
    gates: {
      ...{ ...gates, links, 'own-changes': ownChanges, feeds, requests: requests.gate },
      ...{ tries, 'delivery-tries': deliveryTries, 'source-imports': sources.imports },
      ...{ lookups: sessions.lookups.gate, 'token-lookups': sessions.tokenLookups.gate, hashes: hashGate },
      ...{ ...turns, ...throttle.turns.gates },
    },
    streams: () => stream.figures,
    revision: () => stream.revision,
  })
  if (jobs) {
    const { followers } = pruning
    metrics.watchSources(sources.figures)
    metrics.watchFigures(sending.figures.watched)
    metrics.watchJobs({ figures: () => jobs.figures, lastHeartbeat: heartbeat.last, followers })
  }
  finishRequests(app)
  app.addHook('preClose', async () => {
    // Beside the requests under way, which have longer.
    void jobs?.stop()
    void outbox?.stop()
    clearInterval(streamSessions)
    stream.close()
  })
  app.addHook('onClose', async () => {
    peers.close()
    for (const relay of relays) relay.stop()
    await Promise.all([jobs, outbox, bot, search, verdicts, alerts].map((running) => running?.stop()))
    await bus.close()
  })
  await bus.start()
  await builtIn.refresh()
  return app
}
