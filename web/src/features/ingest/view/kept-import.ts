import type { Mapping } from '../view.ts'

/** A file that somebody chose; `key` tells two choices of the same name apart. */
export type ChosenFile = { key: number; file: File }

/** A chosen file with all that was said of it. */
export type ImportDraft = {
  chosen: ChosenFile
  corrections: Mapping
  /** What was typed for the availability; null until then, so that the suggestion can follow the columns. */
  availability: string | null
  /** That of the text, by its name on the web; '' as long as nobody had to say it. */
  encoding: string
  /** Whether the file lists everything: deals it leaves out are hidden. */
  hideMissing: boolean
  /** Whether its prices count for the history. */
  keepsHistory: boolean
}

let chosenFiles = 0

/** What is known of a file that was just chosen. */
export function newDraft(file: File): ImportDraft {
  chosenFiles += 1
  return {
    chosen: { key: chosenFiles, file },
    ...{ corrections: {}, availability: null, encoding: '', hideMissing: false, keepsHistory: true },
  }
}

let kept: { userId: number; draft: ImportDraft } | undefined

/** Keeps a file until its administrator comes back to the screen, as long as the page lives; undefined forgets it. */
export function keepDraft(userId: number, draft: ImportDraft | undefined): void {
  kept = draft && { userId, draft }
}

/** The file that an administrator left. */
export function keptDraft(userId: number): ImportDraft | undefined {
  return kept?.userId === userId ? kept.draft : undefined
}
