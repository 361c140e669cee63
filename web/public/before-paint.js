// Runs before the first paint so that no wrong theme flashes; a file of its own because the content policy refuses inline scripts.
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
