import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { colours } from './sample-deals/colours.ts'
import { allProducts, imageName, makeSampleDeals } from './sample-deals/deals.ts'
import { drawings } from './sample-deals/drawings.ts'

export const sampleFolder = fileURLToPath(new URL('../server/sample-deals/', import.meta.url))

/** Every file of `server/sample-deals` with its text, by path inside the folder. The same on every call and machine. */
export function sampleFiles(): Map<string, string> {
  const files = new Map([['deals.json', `${JSON.stringify(makeSampleDeals(), null, 2)}\n`]])
  for (const { drawing, colours: worn } of allProducts) {
    for (const [colour] of worn)
      files.set(`images/${imageName(drawing, colour)}`, drawings[drawing](colours[colour]))
  }
  return files
}

async function main(): Promise<void> {
  await mkdir(`${sampleFolder}images`, { recursive: true })
  const files = sampleFiles()
  for (const name of await readdir(`${sampleFolder}images`)) {
    if (!files.has(`images/${name}`)) await rm(`${sampleFolder}images/${name}`)
  }
  for (const [name, text] of files) await writeFile(sampleFolder + name, text)
  process.stdout.write(`${files.size} files written to server/sample-deals\n`)
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) await main()
