// Runs before the first paint; a file of its own because the content policy refuses inline scripts.

// So that no wrong theme flashes.
;(() => {
  var theme = 'system'
  try {
    theme = JSON.parse(localStorage.getItem('dealdeck.preferences') || '{}').theme || 'system'
  } catch (_error) {
    // Unreadable storage means the system's choice.
  }
  var dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
})()

// The program of a deal's page begins once the title and the picture are painted: fetched along with the sheets, on a slow connection it
// would hold them up.
;(() => {
  function begin() {
    var held = document.getElementById('after-paint')
    // Moved, not copied: what has begun is no longer there.
    if (held) document.head.append(held.content)
  }
  if (document.visibilityState === 'visible' && window.PerformanceObserver)
    new PerformanceObserver(begin).observe({ type: 'paint' })
  // A tab that nobody looks at is never painted, and some browsers don't say what they paint.
  document.addEventListener('visibilitychange', begin)
  window.addEventListener('load', begin)
})()
