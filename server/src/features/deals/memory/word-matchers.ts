import { wholeWord } from '@dealdeck/query/inflecting'

/** Whether a piece of a text stands in a word, by where in it: tests made once for each piece. */
export const matchers = {
  part: (piece: string) => (word: string) => word.includes(piece),
  end: (piece: string) => (word: string) => word.endsWith(piece),
  beginning: (piece: string) => (word: string) => word.startsWith(piece),
  word: (piece: string) => (word: string) => word === piece,
  /** Beside other signs than letters and digits. */
  whole: (piece: string) => {
    const pattern = new RegExp(wholeWord(piece))
    return (word: string) => pattern.test(word)
  },
}

/** Where in a word a piece of a text has to stand. */
export type PieceKind = keyof typeof matchers
