import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext } from '@playwright/test'
import { emptyDirInMemory } from '../../support/dir.ts'

/** Builds the web app with other texts (`pseudo-say`) and gives the folder; no server ever serves it. */
export async function pseudoBuild(): Promise<string> {
  // It takes long to load, also for who wants no build.
  const { build } = await import('vite')
  const outDir = emptyDirInMemory()
  const replacement = join(import.meta.dirname, 'pseudo-say.ts')
  await build({
    configFile: join(import.meta.dirname, '../../../web/vite.config.ts'),
    logLevel: 'warn',
    resolve: { alias: [{ find: /^(?:\.|.*\/messages)\/say\.ts$/, replacement }] },
    build: { outDir, emptyOutDir: false, minify: false, reportCompressedSize: false },
  })
  return outDir
}

/** Lets the pages of a context load that build instead of the server's. All data is still the server's. */
export async function withBuild(context: BrowserContext, folder: string): Promise<void> {
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
      // A page of the server's own.
      if (nonce === undefined) return route.fulfill({ response: reply })
      const meta = `<meta property="csp-nonce" nonce="${nonce}">`
      await route.fulfill({ response: reply, body: page.replace('</title>', `</title>${meta}`) })
    },
  )
}
