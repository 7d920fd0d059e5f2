import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import packed from '@sparticuz/chromium'

/**
 * Starts the Chromium of the lockfile, with web security and site isolation as people have them: the
 * arguments that its package proposes switch both off, and are not used. One serves
 * all test files of a process.
 */
export const launch = async (): Promise<Browser> =>
  chromium.launch({
    executablePath: await unpacked(),
    args: ['--no-sandbox', '--font-render-hinting=none'],
  })

/**
 * The package takes whatever it finds unpacked, even half of an older one. So each version has a folder
 * of its own, which appears when it is whole.
 */
async function unpacked(): Promise<string> {
  const about = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'))
  const { version } = JSON.parse(readFileSync(about, 'utf8'))
  const folder = join(tmpdir(), `docket-chromium-${version}-${process.getuid?.() ?? 0}`)
  if (existsSync(folder)) return join(folder, 'chromium')
  const before = process.env.TMPDIR
  const place = mkdtempSync(join(tmpdir(), 'docket-chromium-'))
  process.env.TMPDIR = place
  try {
    await packed.executablePath()
    if (!existsSync(folder)) renameSync(place, folder)
  } catch (error) {
    // Another test file may have been first.
    if (!existsSync(folder)) throw error
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(place, { recursive: true, force: true })
  }
  return join(folder, 'chromium')
}
