/** Whether what is of one revision lacks nothing that a stream which begins at another leaves out; both as `epoch-number`. */
export function isNoOlder(revision: string | undefined, begin: string): boolean {
  const [epoch, number] = (revision ?? '').split('-')
  const [beginEpoch, beginNumber] = begin.split('-')
  return epoch !== '' && epoch === beginEpoch && Number(number) >= Number(beginNumber)
}
