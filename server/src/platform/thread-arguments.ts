/** What a thread is started with: the arguments of this process without those about memory, which no thread may be given. */
export function threadArguments(): string[] {
  return process.execArgv.filter(
    (argument) => !/^--(max-semi|max-old|heap-growing|external-mem)/.test(argument),
  )
}
