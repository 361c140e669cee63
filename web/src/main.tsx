import './app/mantine-styles.ts'
import './app/base.css'
import { startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { takeFirstSession } from './app/first-data.ts'
import { suppressResizeObserverNoise } from './app/resize-noise.ts'
import { screens } from './app/session-gate.tsx'
import { Start } from './app/start.tsx'
import { takePreloadedResponses } from './platform/preloaded-responses.ts'
import { queryClient } from './platform/query-client.ts'
import { recoverQueries } from './platform/recovery.ts'
import { readSessionHint } from './platform/session-hint.ts'

suppressResizeObserverNoise(window)
recoverQueries(queryClient)

async function start(place: HTMLElement): Promise<void> {
  takePreloadedResponses()
  const session = takeFirstSession(queryClient)
  // The page holds the login screen already, to be read and typed into before this program has come.
  if (session === null && place.dataset.holds === 'login') {
    startTransition(() => void hydrateRoot(place, <Start />))
    return
  }
  if (session) {
    await prepareScreens().catch(() => undefined)
  } else if (readSessionHint() !== null) {
    // Fetched while the server is asked whether this is still so.
    screens.load().catch(() => undefined)
  }
  startTransition(() => createRoot(place).render(<Start />))
}

/** What fails here fails again when it is drawn, where that is said. */
async function prepareScreens(): Promise<void> {
  const [{ prepareFirstScreen }] = await Promise.all([import('./app/screens.tsx'), screens.load()])
  await prepareFirstScreen(queryClient)
}

/** In milliseconds: so long after it is loaded a page has drawn its screen, and has been told what that asks for. */
const drawnAfterMs = 3_000

/**
 * When everything on the screen is there: at a first visit the program of all screens is for later, and to fetch it would take half of what
 * draws the first one. A page may have loaded before its program began.
 */
async function keepProgram(started: Promise<void>): Promise<void> {
  await started
  if (document.readyState !== 'complete')
    await new Promise((resolve) => window.addEventListener('load', resolve, { once: true }))
  await new Promise((resolve) => setTimeout(resolve, drawnAfterMs))
  await navigator.serviceWorker.register('/service-worker.js').catch(() => undefined)
}

const place = document.getElementById('root')
if (!place) throw new Error('index.html has no #root')
const started = start(place)
if (import.meta.env.PROD && 'serviceWorker' in navigator) void keepProgram(started)
