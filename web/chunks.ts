/**
 * What the screens that most visits begin with have in common. Left to the bundler, each piece would be a file of its own
 * and a first visit would be spent on asking for thirty of them. A list that is out of date costs some of that, nothing more.
 */
const ofScreens = [
  /node_modules\/@tanstack\/(?!react-virtual|virtual-core)/,
  /node_modules\/@mantine\/core\/.*\/(Skeleton|Group|Badge|NativeSelect|Switch|DirectionProvider|create-safe-context)(\/|\.)/,
  /node_modules\/@mantine\/hooks\/.*\/use-(uncontrolled|merged-ref)/,
  /node_modules\/@tabler\/icons-react\/.*\/(createReactComponent|Icon(ChevronDown|Check|Copy|ExternalLink|Link|Photo))\./,
  /web\/src\/app\/(?!home|link-tools|admin)/,
  /web\/src\/platform\//,
  /web\/src\/ui\/(?!carousel|action-toast|multi-select|option-list|windowed-grid)/,
  /web\/src\/features\/(deals\/(api|view(\/filters)?|live|components\/deal-(card|picture))|filters\/(api|view)|profile\/(api|view)|home\/api)\./,
  /marketplace\/src\/(marketplaces|filters)\./,
]

/** The file a module goes into that not every visitor needs; the bundler's own choice where this says nothing. */
export function chunkOf(id: string): string | null {
  return ofScreens.some((pattern) => pattern.test(id)) ? 'screens' : null
}
