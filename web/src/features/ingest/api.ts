import type { ImportMissing, ImportPreview, ImportResult } from '@dealdeck/contract/ingest'
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { ApiError, toApiError } from '../../platform/api-error.ts'
import { laterApi } from '../../platform/later-client.ts'
import { reportSessionLost } from '../../platform/session-signal.ts'
import type { ChosenFile, ImportDraft } from './view/kept-import.ts'
import { mapParameter, mediaType, previewBytes, wholeLines } from './view.ts'

/** The tokens of scripts; when they were last used changes by itself. */
export const tokensQuery = laterApi.ingest.listTokens.queryOptions({ refetchInterval: 30_000 })

/** Finished imports, page by page, the newest first. */
export const importsQuery = laterApi.ingest.listImports.infiniteOptions({
  input: (cursor: number | undefined) => ({ limit: 20, ...(cursor !== undefined && { cursor }) }),
  initialPageParam: undefined,
  getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : Number(next_cursor)),
})

/** What one import refused; that never changes. */
export const rejectsQuery = (id: number) =>
  laterApi.ingest.listRejects.queryOptions({ input: { id }, staleTime: Number.POSITIVE_INFINITY })

/** What of a draft says how a file is understood. */
type ImportChoices = Pick<ImportDraft, 'corrections' | 'encoding'> & { availability: string }

/** How the first rows of a file would be understood. Only the beginning of the file is sent. */
export function previewQuery({ key, file }: ChosenFile, choices: ImportChoices) {
  return queryOptions({
    queryKey: ['import-preview', key, choices],
    queryFn: async ({ signal }): Promise<ImportPreview> => {
      const response = await fetch(`/api/products/import/preview?${parameters(choices)}`, {
        method: 'POST',
        credentials: 'same-origin',
        headers: { 'content-type': bodyType(file) },
        body: await beginningOf(file),
        signal,
      })
      if (!response.ok) throw refusal(response.status, await response.text())
      return response.json()
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

async function beginningOf(file: File): Promise<BodyInit> {
  if (file.size <= previewBytes) return file
  return wholeLines(new Uint8Array(await file.slice(0, previewBytes).arrayBuffer()))
}

type UploadOptions = ImportChoices & {
  dryRun: boolean
  hideMissing: boolean
  keepsHistory: boolean
  /** Whether deals are hidden also where that takes a confirmation. */
  confirmed: boolean
  signal: AbortSignal
  /** Called with the sent share, 0 to 1. At 1 the server has everything and works on it. */
  onProgress: (share: number) => void
}

/**
 * Sends a whole file, reading it from disk piece by piece. Throws `ApiError` when the server refuses,
 * a DOMException named AbortError when it was cancelled, and a TypeError when the connection broke.
 */
function uploadImport(file: File, options: UploadOptions): Promise<ImportResult> {
  // fetch can't tell how much has been sent; XMLHttpRequest can.
  const request = new XMLHttpRequest()
  const query = parameters(options)
  query.set('dry_run', String(options.dryRun))
  query.set('file', file.name)
  if (options.hideMissing) query.set('missing', 'hide')
  if (!options.keepsHistory) query.set('history', 'none')
  if (options.confirmed) query.set('confirm', 'true')
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => options.onProgress(total === 0 ? 1 : loaded / total)
    request.upload.onload = () => options.onProgress(1)
    request.onload = () => {
      if (request.status === 200) resolve(JSON.parse(request.responseText))
      else reject(refusal(request.status, request.responseText))
    }
    request.onerror = () => reject(new TypeError('The connection broke'))
    request.onabort = () => reject(new DOMException('The import was cancelled', 'AbortError'))
    options.signal.addEventListener('abort', () => request.abort())
    request.open('POST', `/api/products/import?${query}`)
    request.setRequestHeader('content-type', bodyType(file))
    request.send(file)
  })
}

export type ImportOutcome = { result: ImportResult } | { failure: string }
/** `share`: how much has been sent, 0 to 1. */
export type ImportProgress = { dryRun: boolean; share: number }

const maybeStored = 'Some rows may be stored already; importing the file again stores nothing twice.'

/** Tries or imports a file, remembers what came of it, and keeps the reader on the screen meanwhile. */
export function useImportRun(
  draft: ImportDraft & { availability: string },
  { onChange, onImported }: { onChange: (part: Partial<ImportDraft>) => void; onImported: () => void },
) {
  const { corrections, availability, encoding, hideMissing, keepsHistory } = draft
  const { file } = draft.chosen
  const choices = { corrections, availability, encoding }
  const queries = useQueryClient()
  /** What the last dry run said would be hidden, and for which choices. */
  const [checked, setChecked] = useState<{ choices: string; missing: ImportMissing } | null>(null)
  const [progress, setProgress] = useState<ImportProgress | null>(null)
  const [outcome, setOutcome] = useState<ImportOutcome | null>(null)
  const cancelling = useRef<AbortController>(undefined)
  const chosen = JSON.stringify(choices)
  /** What the file leaves out, once a dry run with these choices has said it. */
  const leftOut = hideMissing && checked?.choices === chosen ? checked.missing : null

  useBlocker({
    disabled: progress === null,
    enableBeforeUnload: () => progress !== null,
    shouldBlockFn: () => !window.confirm('The import is still running. Leave and cancel it?'),
  })
  useEffect(() => () => cancelling.current?.abort(), [])

  async function run(dryRun: boolean) {
    const controller = new AbortController()
    cancelling.current = controller
    setProgress({ dryRun, share: 0 })
    setOutcome(null)
    let sent = 0
    try {
      const { signal } = controller
      const result = await uploadImport(file, {
        ...choices,
        ...{ dryRun, hideMissing, keepsHistory, signal },
        confirmed: leftOut?.needs_confirmation ?? false,
        onProgress: (share) => {
          sent = share
          setProgress({ dryRun, share })
        },
      })
      setOutcome({ result })
      setChecked(dryRun && result.missing ? { choices: chosen, missing: result.missing } : null)
      // Whatever shows deals asks again; the preview of this file stays true.
      if (dryRun) return
      onImported()
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'import-preview' })
    } catch (error) {
      setOutcome({ failure: failureText(error, !dryRun && sent === 1) })
    } finally {
      setProgress(null)
    }
  }

  return {
    ...{ hideMissing, keepsHistory, leftOut, progress, outcome },
    setKeepsHistory: (keeps: boolean) => onChange({ keepsHistory: keeps }),
    setHideMissing: (hide: boolean) => {
      onChange({ hideMissing: hide })
      setChecked(null)
    },
    start: (dryRun: boolean) => void run(dryRun),
    cancel: () => cancelling.current?.abort(),
  }
}
export type ImportRun = ReturnType<typeof useImportRun>

/** `begun`: the whole file had arrived, so the server may have begun to store. */
function failureText(error: unknown, begun: boolean): string {
  if (error instanceof ApiError) return error.message
  const consequence = begun ? maybeStored : 'Nothing was stored.'
  if (error instanceof DOMException && error.name === 'AbortError') return `Cancelled. ${consequence}`
  return `The connection broke before the server had answered. ${consequence} Please try again.`
}

function parameters({ corrections, availability, encoding }: ImportChoices): URLSearchParams {
  return new URLSearchParams({ map: mapParameter(corrections), availability, encoding })
}

function bodyType(file: File): string {
  return mediaType(file.name) ?? 'text/csv'
}

function refusal(status: number, text: string): Error {
  const error = toApiError(status, parseBody(text))
  if (error.code === 'UNAUTHENTICATED') reportSessionLost()
  return error
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A proxy between may answer with a page of its own; the status then says enough.
    return null
  }
}
