import { buildWeb } from '../server/src/platform/web/web-build.ts'
import { budget, readChart, readFirstLoad } from './web-size.ts'

// Every visitor pays for what the first load weighs, and it grows by a little at a time.
await buildWeb(console.log, new AbortController().signal)
const { script, stylesheet, files } = readFirstLoad()
const parts = [
  { name: 'JavaScript', bytes: script, most: budget.script },
  { name: 'CSS', bytes: stylesheet, most: budget.stylesheet },
]
for (const { name, bytes, most } of parts) {
  if (bytes <= most) continue
  console.log(
    `First load: ${name} is ${bytes} bytes by gzip, ${bytes - most} more than its budget of ${most}.`,
  )
  process.exitCode = 1
}
const chart = readChart()
if (chart > budget.chart) {
  console.log(`The chart of prices is ${chart} bytes by gzip, more than its budget of ${budget.chart}.`)
  process.exitCode = 1
}
// The language of questions comes once somebody asks.
if (Object.keys(files).some((file) => /\/language-/.test(file))) {
  console.log('First load: it has the language of questions in it, which should come later.')
  process.exitCode = 1
}
if (!process.exitCode) {
  console.log(
    `First load: ${parts.map(({ name, bytes, most }) => `${name} ${bytes} of ${most}`).join(', ')} bytes; chart ${chart}.`,
  )
}
