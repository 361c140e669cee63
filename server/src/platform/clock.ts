/** The current time; tests pass their own to stand at a chosen moment. */
export type Clock = () => Date

/** A time in a sentence, to the minute; screens show it as the clock of whoever reads has it. */
export const timeInText = (time: Date): string => `${time.toISOString().slice(0, 16)}Z`

export const systemClock: Clock = () => new Date()
