import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext } from '@playwright/test'
import { createMemoryTempDir } from '../../../support/system/temp-dir.ts'

/** Builds the web app with pseudo-localized texts and returns the folder; no server serves it. */
export async function buildPseudoLocale(): Promise<string> {
  // Vite is slow to load, also for tests that need no build.
  const { build } = await import('vite')
  const outDir = createMemoryTempDir()
  const replacement = join(import.meta.dirname, 'pseudo-messages.ts')
  await build({
    configFile: join(import.meta.dirname, '../../../../web/vite.config.ts'),
    logLevel: 'warn',
    resolve: {
      alias: [{ find: /^(?:\.\.?|.*\/messages)\/define-(rare-)?messages\.ts$/, replacement }],
    },
    build: { outDir, emptyOutDir: false, minify: false, reportCompressedSize: false },
  })
  return outDir
}

/**
 * Serves that build to the pages of a context instead of the server's; data comes from the server.
 */
export async function serveBuild(context: BrowserContext, folder: string): Promise<void> {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  await context.route('**/app/assets/**', (route) => {
    const { pathname } = new URL(route.request().url())
    return route.fulfill({ path: join(folder, pathname.slice('/app/'.length)) })
  })
  await context.route(
    (url) => !/^\/(app|api|internal|docs)\//.test(url.pathname),
    async (route) => {
      const reply = await route.fetch()
      const nonce = /'nonce-([^']+)'/.exec(reply.headers()['content-security-policy'] ?? '')?.[1]
      // The server rendered this page itself.
      if (nonce === undefined) return route.fulfill({ response: reply })
      const meta = `<meta property="csp-nonce" nonce="${nonce}">`
      await route.fulfill({ response: reply, body: page.replace('</title>', `</title>${meta}`) })
    },
  )
}
