import { spawnSync } from 'node:child_process'
import { mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { serversOn, temporaryFolder } from '../../testing/dealdeck-process.ts'
import { cloneTemplate, dropDatabase } from '../../testing/template.ts'
import { freePort } from '../platform/embedded/embedded-process.ts'

// Whole installations are started, and share the machine with the rest of the run.
vi.setConfig({ testTimeout: 180_000 })

const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url))

/** Runs a script of deploy/ as it stands, with a folder of its own for what it makes in passing. */
function run(script: string, args: string[], env: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(join(deploy, script), args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test.skipIf(process.platform === 'win32')(
  'a backup of the script can be restored, as the drill proves; a damaged one can not, and nothing is left behind',
  async () => {
    const clusterUrl = inject('clusterUrl')
    const DATABASE_URL = await cloneTemplate(clusterUrl, inject('templateName'))
    onTestFinished(() => dropDatabase(clusterUrl, DATABASE_URL))
    const folder = await temporaryFolder()
    const [backups, TMPDIR] = [join(folder, 'backups'), join(folder, 'passing')]
    for (const made of [backups, TMPDIR]) await mkdir(made)
    // The last two were made while the clock was ahead.
    const [old, ahead, newestByName] = ['20250101', '20990101', '20990102'].map(
      (day) => `dealdeck-${day}T000000Z.gz`,
    )
    for (const name of [old, ahead, newestByName, 'notes.txt']) await writeFile(join(backups, `${name}`), '')

    const made = run('backup.sh', [backups], { DATABASE_URL, KEEP: '2' })
    expect(made).toMatchObject({ status: 0, stderr: '' })
    expect(made.stdout).toContain(`Removed ${ahead}.\nRemoved ${old}.`)
    const [newest = '', ...others] = (await readdir(backups)).sort()
    expect([newest, others]).toEqual([
      expect.stringMatching(/^dealdeck-20[2-8]\d{5}T\d{6}Z\.gz$/),
      [newestByName, 'notes.txt'],
    ])
    await rm(join(backups, `${newestByName}`))

    // The installation it came from is not touched, whatever the environment says.
    const drill = async (what: string) =>
      run('restore-drill.sh', [what, String(await freePort())], {
        DATABASE_URL: 'postgres://nowhere/',
        TMPDIR,
      })
    expect(await drill(backups)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(`${newest} can be restored, and Dealdeck runs on it.\n$`),
    })
    await truncate(join(backups, newest), 300)
    const failed = await drill(join(backups, newest))
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringContaining('damaged or incomplete')])
    expect(failed.stdout).not.toContain('can be restored')
    expect(await readdir(TMPDIR)).toEqual([])
    expect(serversOn(TMPDIR)).toEqual([])
  },
)
