import { parentPort, workerData } from 'node:worker_threads'
import { type ReceivedFeed, rowsOfFeed } from './feed-rows.ts'

// Reads one feed, says what it holds, and ends.
// The cast holds: that is what `readFeed` passes.
parentPort?.postMessage(rowsOfFeed(workerData as ReceivedFeed))
