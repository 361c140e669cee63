import { failedChecks } from './steps.ts'

const failed = await failedChecks()
if (failed.length > 0) console.log(`\nFailed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
