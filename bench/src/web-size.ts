import { budget, readFirstLoad } from '../../tools/web-size.ts'
import { atMost, type Report } from './report.ts'

/** What a first visit to the feed loads of the built web app, by gzip. Throws when the web app hasn't been built. */
export async function measureWebSize(): Promise<Report> {
  const { script, stylesheet, files } = readFirstLoad()
  return {
    title: 'First load of the feed, gzip',
    figures: [
      atMost('JavaScript', script / 1000, budget.script / 1000, 'KB'),
      atMost('CSS', stylesheet / 1000, budget.stylesheet / 1000, 'KB'),
    ],
    details: files,
  }
}
