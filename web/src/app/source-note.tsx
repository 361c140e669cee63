import type { SourceNote as Note } from '../features/sources/source-note.tsx'
import { latePart } from '../ui/late-part.tsx'

const fetchNote = async () => (await import('../features/sources/source-note.tsx')).SourceNote

/** What an administrator is told of sources; it comes behind the screen that they are on. */
export const SourceNote = latePart<Parameters<typeof Note>[0]>(
  fetchNote,
  ({ as }) => as === 'line' && 'Whether a source needs you',
)
