// Begins the program of a page that shows something by itself once that is painted: fetched along with the sheets, on a slow
// connection it would hold them up. A file of its own because the content policy refuses inline scripts.
;(() => {
  function begin() {
    var held = document.getElementById('after-paint')
    // Moved, not copied: what has begun is no longer there.
    if (held) document.head.append(held.content)
  }
  var types = window.PerformanceObserver ? PerformanceObserver.supportedEntryTypes || [] : []
  // A tab that nobody looks at is never painted.
  if (document.visibilityState !== 'visible' || types.indexOf('paint') < 0) return begin()
  new PerformanceObserver(begin).observe({ type: 'paint', buffered: true })
  document.addEventListener('visibilitychange', begin)
  window.addEventListener('load', begin)
})()
