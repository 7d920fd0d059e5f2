import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import chromiumPackage from '@sparticuz/chromium'
import { findMemoryDir } from '../../support/system/temp-dir.ts'

/**
 * Starts the Chromium of the lockfile with web security and site isolation, as real users have
 * them: the arguments that its package proposes switch both off, so they are not used. All test
 * files of a process share one browser.
 */
export const launchChromium = async (): Promise<Browser> =>
  chromium.launch({
    executablePath: await unpackChromium(),
    args: ['--no-sandbox', '--font-render-hinting=none'],
    // By default its processes share memory in files on the disk, which costs a tenth of the time.
    ...(findMemoryDir() && { ignoreDefaultArgs: ['--disable-dev-shm-usage'] }),
  })

/**
 * The package uses any unpacked browser it finds, even half of an older one. So each version is
 * unpacked to a temporary folder and renamed when it is complete.
 */
async function unpackChromium(): Promise<string> {
  const about = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'))
  const { version } = JSON.parse(readFileSync(about, 'utf8'))
  const folder = join(tmpdir(), `docket-chromium-${version}-${process.getuid?.() ?? 0}`)
  if (existsSync(folder)) return join(folder, 'chromium')
  const previousTmpDir = process.env.TMPDIR
  const tempFolder = mkdtempSync(join(tmpdir(), 'docket-chromium-'))
  process.env.TMPDIR = tempFolder
  try {
    await chromiumPackage.executablePath()
    if (!existsSync(folder)) renameSync(tempFolder, folder)
  } catch (error) {
    // Another process may have been first.
    if (!existsSync(folder)) throw error
  } finally {
    if (previousTmpDir === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = previousTmpDir
    rmSync(tempFolder, { recursive: true, force: true })
  }
  return join(folder, 'chromium')
}
