// Keeps the program on the device, so that the app opens and changes screens without a connection. Nothing personal is kept:
// no answer of the API and no page that was made for somebody.

/** Written here by the build: the program's files, and what tells this build from others. */
const program = { version: '', files: [] }
/** The page as nobody's own; what is shown in it comes from the device and, as soon as that answers, from the server. */
const page = '/index.html'
/** How long a page, and a file that it waits for, may take before the kept one is shown, in milliseconds. */
const [pagePatienceMs, filePatienceMs] = [8_000, 3_000]
/** Tabs that were opened before an update go on with the files of their own build. */
const keptBuilds = 2

const cacheName = `program ${program.version}`

self.addEventListener('install', (event) => {
  self.skipWaiting()
  event.waitUntil(keepProgram())
})

/** Keeps all files or none; a cache without any would count as a build, and take the place of one that open tabs go on with. */
async function keepProgram() {
  const cache = await caches.open(cacheName)
  try {
    await cache.addAll(program.files)
  } catch (error) {
    if ((await cache.keys()).length === 0) await caches.delete(cacheName)
    throw error
  }
}

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      const names = await caches.keys()
      await Promise.all(names.slice(0, -keptBuilds).map((name) => caches.delete(name)))
      await self.registration.navigationPreload?.enable()
      await self.clients.claim()
    })(),
  )
})

self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== self.location.origin || pathname.startsWith('/api/')) return
  if (mode === 'navigate') event.respondWith(openPage(event))
  // A name in this folder is that of its content.
  else if (pathname.startsWith('/assets/'))
    event.respondWith(kept(pathname).then((file) => file ?? fetch(event.request)))
  else if (program.files.includes(pathname)) event.respondWith(freshOrKept(event.request, pathname))
})

/** A file that keeps its name; a proxy answers in place of a server that is away. */
async function freshOrKept(request, pathname) {
  const asked = fetch(request)
  const answer = await inTime(asked, filePatienceMs).catch(() => undefined)
  if (answer?.ok) return answer
  return (await kept(pathname)) ?? answer ?? asked.catch(() => Response.error())
}

// Browsers end a subscription whose pushes show nothing, so each shows something, whatever it says and whoever looks at the page.
self.addEventListener('push', (event) => {
  event.waitUntil(showPush(readPush(event.data)))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openFrom(event.notification.data))
})

// The page tells the server: at once where one is open, otherwise as soon as one is.
self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(
    (async () => {
      const options = event.oldSubscription?.options
      if (options) await self.registration.pushManager.subscribe(options).catch(() => undefined)
      for (const client of await self.clients.matchAll()) client.postMessage('push-replaced')
    })(),
  )
})

/** What a browser that knows declarative pushes shows by itself. */
function readPush(data) {
  try {
    const { notification } = data.json()
    if (typeof notification.title === 'string') return notification
  } catch {
    // Not ours, or damaged on the way.
  }
  return { title: 'Dealdeck', body: 'There is something new for you.' }
}

function showPush({ title, body, navigate, tag, silent, image, timestamp }) {
  const isSilent = silent === true
  // Who replaces a notification aloud has to say so; without a tag browsers refuse the word.
  const renotify = tag !== undefined && !isSilent
  return self.registration.showNotification(title, {
    ...{ body, silent: isSilent, renotify, dir: 'auto', data: { navigate } },
    ...(tag !== undefined && { tag }),
    ...(image !== undefined && { image }),
    ...(timestamp !== undefined && { timestamp }),
  })
}

/** Shows the page that a notification leads to, in the window that shows it already or in a new one; never another site. */
async function openFrom(data) {
  const { origin } = self.location
  const given = typeof data?.navigate === 'string' ? data.navigate : '/'
  const url = URL.canParse(given, origin) ? new URL(given, origin) : new URL(origin)
  const target = url.origin === origin ? url.href : `${origin}/`
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const open = windows.find((window) => window.url === target)
  await (open ? open.focus() : self.clients.openWindow(target))
}

async function openPage(event) {
  const asked = Promise.resolve(event.preloadResponse).then((answer) => answer ?? fetch(event.request))
  try {
    const answer = await inTime(asked, pagePatienceMs)
    return isOfProxy(answer) ? ((await kept(page)) ?? answer) : answer
  } catch {
    return (await kept(page)) ?? asked
  }
}

/** Whether a proxy answers in place of a server that is away, with a status of its own (Cloudflare's begin at 520) or of HTTP. */
function isOfProxy({ status }) {
  return [502, 503, 504].includes(status) || (status >= 520 && status <= 530)
}

/** The answer; throws where there is none within so many milliseconds. */
async function inTime(asked, ms) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('too late')), ms)
  })
  try {
    return await Promise.race([asked, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The file of this build, or else that of an earlier one; without a name all caches are looked through, the oldest first. */
async function kept(path) {
  const own = await caches.match(path, { ignoreVary: true, cacheName })
  return own ?? caches.match(path, { ignoreVary: true })
}
