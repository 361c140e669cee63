/**
 * What the screens that most visits begin with have in common. Left to the bundler, each piece would be a file of its own
 * and a first visit would be spent on asking for thirty of them. A list that is out of date costs bytes or requests, nothing more.
 */
const ofFirstScreens = [
  /node_modules\/@tanstack\/(?!react-virtual|virtual-core|react-router\/dist\/esm\/useBlocker)/,
  /node_modules\/@mantine\/core\/.*\/(Skeleton|Badge|NativeSelect|Switch|DirectionProvider)(\/|\.)/,
  /node_modules\/@mantine\/hooks\/.*\/use-(uncontrolled|merged-ref)/,
  /node_modules\/@tabler\/icons-react\/.*\/(createReactComponent|Icon(Check|ChevronDown|ExternalLink|Link|Photo))\./,
  /web\/src\/app\/(?!alerts|channels|deal|feed|home|kept-push|link-tools|admin|list-targets|not-found|search-bell|searches|sign-out|where-to-add)/,
  /web\/src\/platform\/(?!later-client|member-value|push|picture|preloaded-answer|use-debounced-search-params)/,
  /web\/src\/ui\/(amount-input|avatar|brand|dialog|full-text|icon-switch|late-(dialog|part)|notice|search-box|slash-key|source-label|theme-switch|unseen)\./,
  /web\/src\/features\/(deals\/(api|view(\/(filters|language|verdict))?|live|deal-verdict|components\/deal-(base|card|line|picture))|filters\/(api|view\/search)|profile\/(api|view\/(profile|search))|home\/api)\./,
  /marketplace\/src\/(filters|titles)\./,
]

/** What draws long lists: the feed and most other screens, but not the one that visits begin with. */
const ofLongLists = [
  /node_modules\/@tanstack\/(react-virtual|virtual-core)/,
  /web\/src\/ui\/(windowed-rows|kept-range)\./,
]

/** What several screens have in common beside that, and the feed doesn't need. */
const ofOtherScreens = [
  /node_modules\/@mantine\/core\/.*\/(Tabs|Group|Text|create-safe-context)(\/|\.)/,
  /node_modules\/@tabler\/icons-react\/.*\/Icon(BrandTelegram|Copy|Pencil|Plus|Trash)\./,
  /web\/src\/ui\/(?!carousel|action-toast|full-text-reader|multi-select|option-list|windowed-grid)/,
  /marketplace\/src\/marketplaces\./,
  /web\/src\/platform\/(member-value|preloaded-answer)\./,
  /web\/src\/app\/not-found-screen\./,
  /web\/src\/features\/deals\/(deal-slide|no-deals|view\/(last-deals|no-deals))\./,
]

/** Picture links and search links have this alone in common. */
const ofAddresses = [/marketplace\/src\/(pieces|percent-encoding)\./]

/** What search links are made of: one file for the generator and for filters. */
const ofLinks = [
  /marketplace\/src\/(default-|filter-(codes|facts)|prices|query-reading|search-|shop-addresses)/,
  /web\/src\/features\/(filters\/live|links\/(api|view))\./,
]

/** What the screens that show filters have in common. */
const ofFilters = [
  /web\/src\/features\/filters\/(view|components\/(category-tabs|screen-head))\./,
  /web\/src\/ui\/windowed-grid\./,
]

/** The language that deals are asked for in, and what the feed makes of it: one file once somebody asks. */
const ofQuestions = [
  /\/query\/src\//,
  /web\/src\/features\/deals\/(question-(field|notes|help)|view\/(asking|chips|offers|old-addresses|understanding))\./,
  /node_modules\/@mantine\/hooks\/.*\/use-debounced-value/,
]

/** The row of saved searches: one file, since the feed asks for it right after its own. */
const ofSavedRow = [
  /web\/src\/features\/searches\/(saved-row|api|live|view)\./,
  /web\/src\/platform\/later-client\./,
  /virtual:later-routes/,
]

/** Bells, target prices and why something was sent: one file, which deals and searches ask for after their own. */
const ofAlerts = [
  /web\/src\/features\/alerts\/(alert-bell|target-price|why-deal|api|live|view|components\/(bell-dialog|target-dialog|why-answer))\./,
  /web\/src\/features\/deliveries\/(api|live|view)\./,
  /web\/src\/app\/(deal-alerts|kept-push|list-targets|search-bell|where-to-add)\./,
  /web\/src\/ui\/state-mark\./,
  /node_modules\/@tabler\/icons-react\/.*\/Icon(Bell|BellFilled|BellRinging|CircleCheck|CircleX)\./,
]

/** Where messages go, when they don't, and what was sent: for members and for the group. */
const ofDeliveries = [
  /web\/src\/features\/(alerts|deliveries)\//,
  /web\/src\/ui\/(setting-|stored-secret|typed-settings)/,
]

const isIn = (patterns: readonly RegExp[]) => (id: string) => patterns.some((pattern) => pattern.test(id))

/** Files of modules that not every visitor needs. What a module imports goes with it, unless an earlier file has it. */
export const chunks = [
  { name: 'screens', test: isIn(ofFirstScreens) },
  { name: 'long-lists', test: isIn(ofLongLists) },
  { name: 'more', test: isIn(ofOtherScreens) },
  { name: 'addresses', test: isIn(ofAddresses) },
  { name: 'links', test: isIn(ofLinks) },
  { name: 'filters', test: isIn(ofFilters) },
  { name: 'language', test: isIn(ofQuestions) },
  { name: 'searches', test: isIn(ofSavedRow) },
  { name: 'bells', test: isIn(ofAlerts) },
  { name: 'deliveries', test: isIn(ofDeliveries) },
]
