import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { launchChromium } from '../test/browser/support/chromium.ts'
import { findFreePort } from '../test/support/system/free-port.ts'
import { waitUntil } from '../test/support/system/wait-until.ts'

/** Takes the pictures of README.md from the demo workspace of a first start. */
const OUT = 'docs/images'
/** The address of each picture within the workspace. */
const PICTURES = { list: 'p/DEMO', board: 'p/DEMO?view=board' }
const VIEWPORT = { width: 1360, height: 800 }

execFileSync(process.execPath, ['tools/build-web.ts'], { stdio: ['ignore', 2, 2] })
const dataDir = mkdtempSync(join(tmpdir(), 'docket-pictures-'))
const port = await findFreePort()
const url = `http://127.0.0.1:${port}`
const server = spawn(process.execPath, ['src/main.ts'], {
  env: { ...process.env, DOCKET_DATA_DIR: dataDir, DOCKET_PORT: `${port}`, DOCKET_DEMO: '1' },
})
let printed = ''
server.stdout.on('data', (chunk) => {
  printed += chunk
})
const browser = await launchChromium()
try {
  await waitUntil('the demo workspace', () => /^ *API key\b/m.test(printed))
  mkdirSync(OUT, { recursive: true })
  const page = await browser.newPage({ viewport: VIEWPORT, deviceScaleFactor: 1.5 })
  await signIn(page)
  const workspace = await readWorkspaceId()
  for (const [name, address] of Object.entries(PICTURES)) {
    await page.goto(`${url}/w/${workspace}/${address}`)
    await page
      .getByRole('link', { name: /^[A-Z]+-\d+$/ })
      .first()
      .waitFor()
    await page.evaluate(() => document.fonts.ready)
    await page.screenshot({ path: join(OUT, `${name}.png`) })
  }
} finally {
  await browser.close()
  server.kill()
  rmSync(dataDir, { recursive: true, force: true })
}

function readPrinted(label: RegExp): string {
  return label.exec(printed)?.[1] ?? ''
}

async function readWorkspaceId(): Promise<string> {
  const authorization = `Bearer ${readPrinted(/^ *API key +(\S+)/m)}`
  const reply = await fetch(`${url}/api/v1/me`, { headers: { authorization } })
  const { workspace } = (await reply.json()) as { workspace: { id: string } }
  return workspace.id
}

async function signIn(page: Page): Promise<void> {
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Email').fill(readPrinted(/^ *E-?mail +(\S+)/im))
  await page.getByLabel('Password', { exact: true }).fill(readPrinted(/^ *Password +(\S+)/m))
  await page.keyboard.press('Enter')
  await page.waitForURL('**/setup')
}
