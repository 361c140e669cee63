import { latePart } from '../ui/late-part.tsx'

/** What an administrator is told of sources; it comes behind the screen that they are on. */
export const SourceNote = latePart(
  async () => (await import('../features/sources/source-note.tsx')).SourceNote,
)
